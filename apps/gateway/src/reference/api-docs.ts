import { gzipSync } from 'node:zlib';
import { type Operation, listenerOf, openApi } from '#libs/contracts';
import { apiPage } from './api-page.js';
import { type Origins, referenceBody } from './reference-page.js';

/** A document, as it is and compressed. */
export interface ApiDocument {
  type: string;
  plain: Buffer;
  gzip: Buffer;
}

/** The API's description (`/openapi.json`) and a reference for people (`/docs`), both from the table of operations. */
export class ApiDocs {
  readonly description: ApiDocument;
  readonly reference: ApiDocument;

  /** Made once: what is served later costs nothing. */
  constructor(operations: readonly Operation[], origins: Origins) {
    const described = openApi(operations, {
      title: 'Domain Data Service',
      version: '2.0',
      origin: origins.apiUrl,
      listener: 'api',
    });
    const served = operations.filter((row) => listenerOf(row) === 'api');
    const page = apiPage(origins.dashboardUrl, 'API reference', referenceBody(served, origins));
    this.description = documentOf('application/json; charset=utf-8', JSON.stringify(described));
    this.reference = documentOf('text/html; charset=utf-8', page);
  }
}

function documentOf(type: string, text: string): ApiDocument {
  const plain = Buffer.from(text);
  return { type, plain, gzip: gzipSync(plain) };
}
