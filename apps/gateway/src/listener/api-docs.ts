import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Operation, openApi } from '#libs/contracts';

/** A file of the reference, as it is sent. */
export interface DocsFile {
  type: string;
  body: Buffer;
}

/** Files of the viewer's package; nothing is loaded from elsewhere, so the reference works offline. */
const VIEWER = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
] as const;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<nav id="groups" aria-label="Operations"></nav>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const STYLE = `body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
#groups { position: sticky; top: 0; height: 100vh; overflow-y: auto; box-sizing: border-box;
  padding: 1.5rem 1rem; border-right: 1px solid #d8dde7; background: #fafbfc;
  font: 14px/1.4 system-ui, sans-serif; }
#groups h2 { margin: 1.2rem 0 .3rem; font-size: 13px; color: #3b4151; }
#groups a { display: block; padding: .15rem .4rem; color: #1f4fa3; text-decoration: none;
  overflow-wrap: anywhere; }
#groups a:hover, #groups a:focus { background: #e8eef9; }
#groups .old { color: #6b7280; }
.swagger-ui .info { margin: 2rem 0; }
.swagger-ui .info table { display: block; overflow-x: auto; }
.swagger-ui .curl { position: relative; }
.swagger-ui .curl pre { margin: 0; padding: .8rem 5rem .8rem .8rem; background: #22272e; color: #e6edf3;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
.swagger-ui .curl button { position: absolute; top: .5rem; right: .5rem; }
@media (max-width: 60rem) {
  body { display: block; }
  #groups { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid #d8dde7; }
}
`;

/** Runs in the browser: the reference, beside it what there is by group, and in each operation its curl to copy. */
const START = `const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => method in methods).map((method) => ({ path, method, ...methods[method] })));
}

const isOf = (block, { path, method }) =>
  block.querySelector('[data-path]')?.dataset.path === path &&
  block.querySelector('.opblock-summary-method')?.textContent.toLowerCase() === method;

function showGroups(spec, operations) {
  const nav = document.getElementById('groups');
  nav.append(element('a', { href: '#reference', textContent: 'Introduction' }));
  for (const { name } of spec.tags) {
    nav.append(element('h2', { textContent: name }));
    for (const { path, method, operationId, deprecated } of operations.filter(({ tags }) => tags[0] === name)) {
      const href = '#/' + name + '/' + operationId;
      const link = element('a', { href, textContent: method.toUpperCase() + ' ' + path, className: deprecated ? 'old' : '' });
      // The viewer reads the address once, when it starts.
      link.addEventListener('click', () => {
        const block = [...document.querySelectorAll('.opblock')].find((one) => isOf(one, { path, method }));
        if (!block) return;
        if (!block.classList.contains('is-open')) block.querySelector('.opblock-summary-control')?.click();
        block.scrollIntoView();
      });
      nav.append(link);
    }
  }
}

function showCurl(operations) {
  for (const block of document.querySelectorAll('.opblock.is-open .opblock-body')) {
    if (block.querySelector('.curl')) continue;
    const found = operations.find((one) => isOf(block.closest('.opblock'), one));
    if (!found) continue;
    const { source } = found['x-codeSamples'][0];
    const button = element('button', { className: 'btn', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(source);
      button.textContent = 'Copied';
    });
    block.prepend(element('div', { className: 'curl' }, element('pre', { textContent: source }), button));
  }
}

async function start() {
  const spec = await (await fetch('/openapi.json')).json();
  const operations = operationsOf(spec);
  showGroups(spec, operations);
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    persistAuthorization: false,
    validatorUrl: null,
  });
  new MutationObserver(() => showCurl(operations)).observe(document.getElementById('reference'), {
    childList: true,
    subtree: true,
  });
}

void start();
`;

/** What the reference may load and run: its own files. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The API's description (`/openapi.json`) and a reference made from it (`/docs`), from the table of operations. */
export class ApiDocs {
  private constructor(
    readonly description: Buffer,
    private readonly files: ReadonlyMap<string, DocsFile>,
  ) {}

  /** @param origin public origin of the API. Reads every file once: what is served later never touches the disk. */
  static async load(operations: readonly Operation[], origin: string): Promise<ApiDocs> {
    const { resolve } = createRequire(import.meta.url);
    const viewer = await Promise.all(
      VIEWER.map(async ([name, type]) => {
        const body = await readFile(resolve(`swagger-ui-dist/${name}`));
        return [name, { type, body }] as const;
      }),
    );
    const description = openApi(operations, {
      title: 'Domain Data Service',
      version: '2.0',
      origin,
      listener: 'api',
    });
    const html = { type: 'text/html; charset=utf-8', body: Buffer.from(PAGE) };
    const start = { type: 'text/javascript; charset=utf-8', body: Buffer.from(START) };
    const style = { type: 'text/css; charset=utf-8', body: Buffer.from(STYLE) };
    const files = new Map<string, DocsFile>([
      ...viewer,
      ['', html],
      ['page.css', style],
      ['start.js', start],
    ]);
    return new ApiDocs(Buffer.from(JSON.stringify(description)), files);
  }

  /** @param name of a file below `/docs/`; empty for the page itself. */
  file(name: string): DocsFile | undefined {
    return this.files.get(name);
  }
}
