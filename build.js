/**
 * Compiles apps, libs and test into dist with swc, file by file and without checking types (`npm run check` does that).
 * Compiles only changed files. Several builds may run at the same time: each file appears complete, and no build
 * removes the output of another.
 *
 * Runs as a command (`node build.js`; for an image, `node build.js --product`), or from `start.js`.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
const DIST = join(ROOT, 'dist');
const STATE = join(DIST, '.build.json');
const PARTIAL = '.partial';
const FOLDERS = ['apps', 'libs', 'test'];
/** Folders that contain no sources. */
const NOT_OURS = new Set(['node_modules', 'dist']);
const SWC_OPTIONS = {
  configFile: false,
  swcrc: false,
  sourceMaps: true,
  module: { type: 'es6' },
  jsc: {
    target: 'es2024',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    experimental: { keepImportAttributes: true },
  },
};

/** The apps for trying out the product, which no image contains. */
const TRIALS = new Set(['solo', 'cluster', 'simulators']);
/** Matches `from '…'` of an import or export that is not type-only, `import '…'`, `import('…')` and `new URL('…'`. */
const IMPORTS =
  /^(?:import|export)\s(?!type\b)[^;]*?\sfrom\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)|new URL\(\s*'([^']+)'/gm;

/**
 * @param isProduct compiles only the files that the services and the operator commands need: no specs, no test code, no
 *   trial apps.
 * @param withTests false leaves tests as they are, for `npm start`; the next complete build compiles them.
 * @param tell is called with the number of files to compile or copy, if there are any.
 * @returns the number of these files.
 */
export async function build(tell = () => {}, { isProduct = false, withTests = true } = {}) {
  const all = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    sourcesBelow(folder),
  );
  const wanted = withTests ? all : all.filter((path) => !isTest(path));
  const sources = isProduct ? productOf(all) : wanted;
  const settings = createHash('sha256')
    .update(JSON.stringify(SWC_OPTIONS))
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const before = readState() ?? { settings: '', files: {} };
  const isUnknown = before.settings === '';
  const isSame = before.settings === settings;
  const after = {};
  const changed = [];
  if (!withTests && isSame) {
    for (const path of Object.keys(before.files).filter(isTest)) after[path] = before.files[path];
  }
  for (const path of sources) {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    after[path] = `${mtimeMs}/${size}`;
    if (!isSame || before.files[path] !== after[path] || !existsSync(outputOf(path)))
      changed.push(path);
  }
  const gone = Object.keys(before.files).filter((path) => after[path] === undefined);
  if (changed.length === 0 && gone.length === 0) return 0;
  tell(changed.length);
  // The state is written last, so that an unfinished build does not count.
  rmSync(STATE, { force: true });
  for (const path of gone) remove(path);
  if (isUnknown) removeStrays(sources.map(outputOf), withTests);
  await compileAll(changed);
  writeWhole(STATE, JSON.stringify({ settings, files: after }));
  return changed.length;
}

async function compileAll(paths) {
  if (paths.length === 0) return;
  const { transform } = await import('@swc/core');
  const faults = [];
  for (const folder of new Set(paths.map((path) => dirname(outputOf(path))))) {
    mkdirSync(folder, { recursive: true });
  }
  await Promise.all(
    paths.map(async (path) => {
      const output = outputOf(path);
      if (!path.endsWith('.ts')) return writeWhole(output, readFileSync(join(ROOT, path)));
      try {
        const { code, map } = await transform(readFileSync(join(ROOT, path), 'utf8'), {
          ...SWC_OPTIONS,
          filename: join(ROOT, path),
          sourceFileName: join(ROOT, path),
        });
        const name = output.slice(output.lastIndexOf('/') + 1);
        writeWhole(`${output}.map`, map);
        writeWhole(output, `${code}\n//# sourceMappingURL=${name}.map\n`);
      } catch (error) {
        faults.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

function sourcesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : sourcesBelow(path);
    const isSource = /\.(ts|json)$/.test(path) && !path.endsWith('.d.ts');
    return isSource ? [path] : [];
  });
}

function isTest(path) {
  return path.startsWith('test/') || path.endsWith('.spec.ts');
}

/** Returns the modules that the product's entry files import, directly or indirectly. */
function productOf(sources) {
  const known = new Set(sources);
  const found = new Set(
    sources.filter((path) => {
      const [, app] = /^apps\/([^/]+)\/src\/main\.ts$/.exec(path) ?? [];
      return app !== undefined && !TRIALS.has(app);
    }),
  );
  for (const path of found) {
    if (!path.endsWith('.ts')) continue;
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, ...names] of text.matchAll(IMPORTS)) {
      const target = targetOf(
        path,
        names.find((name) => name !== undefined),
      );
      if (known.has(target)) found.add(target);
    }
  }
  return [...found].sort();
}

function targetOf(path, name) {
  const library = /^#libs\/([^/]+)$/.exec(name)?.[1];
  if (library !== undefined) return `libs/${library}/src/index.ts`;
  return posix.join(posix.dirname(path), name.replace(/\.js$/, '.ts'));
}

function outputOf(path) {
  return join(DIST, path.replace(/\.ts$/, '.js'));
}

function remove(path) {
  rmSync(outputOf(path), { force: true });
  rmSync(`${outputOf(path)}.map`, { force: true });
}

/** Removes outputs without a source file, which an unfinished build or another compiler has left. */
function removeStrays(outputs, withTests) {
  const wanted = new Set(outputs.flatMap((path) => [path, `${path}.map`]));
  for (const folder of FOLDERS) {
    if (!existsSync(join(DIST, folder))) continue;
    for (const entry of readdirSync(join(DIST, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const source = relative(DIST, path).replace(/\.js(\.map)?$/, '.ts');
      const isLeft =
        entry.isDirectory() || path.endsWith(PARTIAL) || (!withTests && isTest(source));
      if (!isLeft && !wanted.has(path)) rmSync(path, { force: true });
    }
  }
}

/** Writes a file in such a way that no other process sees an incomplete file. */
function writeWhole(path, content) {
  const partial = `${path}.${process.pid}${PARTIAL}`;
  writeFileSync(partial, content);
  renameSync(partial, path);
}

function readState() {
  try {
    return JSON.parse(readFileSync(STATE, 'utf8'));
  } catch {
    return undefined;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await build(undefined, { isProduct: process.argv.includes('--product') });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
