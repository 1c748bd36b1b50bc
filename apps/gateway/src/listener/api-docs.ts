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
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: false,
  validatorUrl: null,
});
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
    const files = new Map<string, DocsFile>([...viewer, ['', html], ['start.js', start]]);
    return new ApiDocs(Buffer.from(JSON.stringify(description)), files);
  }

  /** @param name of a file below `/docs/`; empty for the page itself. */
  file(name: string): DocsFile | undefined {
    return this.files.get(name);
  }
}
