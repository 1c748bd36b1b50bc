import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { allEventClasses, describeEvent, producerOf } from '#libs/contracts';
import { eventReaders } from '#libs/services';
import { SERVICES } from './declared.js';

const HANDLER = /@(?:Consumes|Watches)\((\w+)\)/g;

describe('declared access', () => {
  it('services may read the topics of the events that they handle, and no others', async () => {
    const heard: Record<string, Set<string>> = {};
    for (const path of globSync('apps/*/src/**/on-*.{consumer,watcher}.ts')) {
      const service = path.split('/')[1];
      for (const [, name] of readFileSync(path, 'utf8').matchAll(HANDLER)) {
        const eventClass = allEventClasses().find((each) => each.name === name);
        expect(eventClass).toBeDefined();
        if (!eventClass) continue;
        (heard[service] ??= new Set()).add(producerOf(describeEvent(eventClass).type));
      }
    }
    const read = Object.entries(await eventReaders(SERVICES)).filter(
      ([, producers]) => producers.length > 0,
    );
    expect(Object.fromEntries(read.map(([name, producers]) => [name, new Set(producers)]))).toEqual(
      heard,
    );
  });
});
