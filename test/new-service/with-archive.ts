import { registerHooks } from 'node:module';
import { TOUCHED } from './touched-files.js';

const CHANGES = Object.entries(TOUCHED).map(
  ([file, change]) => [`/dist/${file.replace(/\.ts$/, '.js')}`, change] as const,
);

/** Applies the changes in a process that is started with `--import` of this file. */
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const found = CHANGES.find(([file]) => url.endsWith(file));
    if (found === undefined) return loaded;
    const source = String(loaded.source);
    const changed = found[1](source);
    if (changed === source) throw new Error(`${url} is not written as expected`);
    return { ...loaded, source: changed };
  },
});
