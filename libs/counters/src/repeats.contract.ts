import { describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { CounterId } from './counter-id.js';
import { REPEAT_WINDOW_MS, type Repeats } from './repeats.js';

/** What every implementation of `Repeats` keeps to. `create` gets the clock to read. */
export function repeatsContract(name: string, create: (nowMs: () => number) => Repeats): void {
  describe(name, () => {
    it('knows a question for 60 seconds after it was charged, however often it is asked', async () => {
      let now = 1_000_000;
      const repeats = create(() => now);
      const id = new CounterId(newId());
      expect(await repeats.isRepeat(id, 'whois example.com')).toBe(false);
      await repeats.remember(id, 'whois example.com');
      now += REPEAT_WINDOW_MS - 1;
      expect(await repeats.isRepeat(id, 'whois example.com')).toBe(true);
      await repeats.remember(id, 'whois example.com');
      now += 1;
      expect(await repeats.isRepeat(id, 'whois example.com')).toBe(false);
    });

    it('tells accounts and questions apart', async () => {
      const repeats = create(() => 1_000_000);
      const [one, other] = [new CounterId(newId()), new CounterId(newId())];
      for (let i = 0; i < 500; i++) await repeats.remember(one, `whois name${i}.example`);
      for (let i = 0; i < 500; i++) {
        expect(await repeats.isRepeat(one, `whois name${i}.example`)).toBe(true);
        expect(await repeats.isRepeat(other, `whois name${i}.example`)).toBe(false);
        expect(await repeats.isRepeat(one, `whois other${i}.example`)).toBe(false);
      }
    });
  });
}
