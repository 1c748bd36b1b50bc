import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { CounterId } from './counter-id.js';
import { REPEAT_WINDOW_MS, type RepeatWindow } from './repeat-window.js';

/** Tests the contract of every `RepeatWindow`. `create` gets the clock to read. */
export function repeatWindowContract(
  name: string,
  create: (nowMs: () => number) => RepeatWindow,
): void {
  describe(name, () => {
    it('recognises a repeat within 60 seconds after the charge, however often it is repeated', async () => {
      let now = 1_000_000;
      const repeatWindow = create(() => now);
      const id = new CounterId(newId());
      expect(await repeatWindow.isRepeat(id, 'whois example.com')).toBe(false);
      await repeatWindow.remember(id, 'whois example.com');
      now += REPEAT_WINDOW_MS - 1;
      expect(await repeatWindow.isRepeat(id, 'whois example.com')).toBe(true);
      await repeatWindow.remember(id, 'whois example.com');
      now += 1;
      expect(await repeatWindow.isRepeat(id, 'whois example.com')).toBe(false);
    });

    it('distinguishes accounts and requests', async () => {
      const repeatWindow = create(() => 1_000_000);
      const [one, other] = [new CounterId(newId()), new CounterId(newId())];
      for (let i = 0; i < 500; i++) await repeatWindow.remember(one, `whois name${i}.example`);
      for (let i = 0; i < 500; i++) {
        expect(await repeatWindow.isRepeat(one, `whois name${i}.example`)).toBe(true);
        expect(await repeatWindow.isRepeat(other, `whois name${i}.example`)).toBe(false);
        expect(await repeatWindow.isRepeat(one, `whois other${i}.example`)).toBe(false);
      }
    });
  });
}
