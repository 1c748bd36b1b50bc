import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

/**
 * Loads a changed text in place of a compiled file, which is not modified on disk. Used with `--import`; the variable
 * `CHANGED_FILE` contains the path and the text as JSON.
 */
const { path, text } = JSON.parse(process.env.CHANGED_FILE!) as { path: string; text: string };
const changedUrl = pathToFileURL(path).href;
registerHooks({
  load: (url, context, next) =>
    url === changedUrl
      ? { format: 'module', source: text, shortCircuit: true }
      : next(url, context),
});
