import { describe, expect, it } from '@jest/globals';
import { FreePorts } from './free-ports.js';

describe('ports that are chosen before anything listens there', () => {
  it('chosen ports are never given to two processes, although nobody listens on them yet', async () => {
    const processes = [new FreePorts(), new FreePorts(), new FreePorts()];
    const given = await Promise.all(processes.map((ports) => ports.take(200)));
    expect(new Set(given.flat()).size).toBe(600);
  });

  it('concurrent calls get different ports', async () => {
    const ports = new FreePorts();
    const given = await Promise.all(Array.from({ length: 30 }, () => ports.take(3)));
    expect(new Set(given.flat()).size).toBe(90);
  });
});
