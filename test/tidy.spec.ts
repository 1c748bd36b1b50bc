import { beforeAll, describe, expect, it } from '@jest/globals';
import * as code from './tidy/code-rules.js';
import { generateApiKey } from '#libs/contracts';
import * as documents from './tidy/document-rules.js';
import * as imports from './tidy/import-rules.js';
import * as layout from './tidy/layout-rules.js';
import * as secrets from './tidy/secret-rules.js';
import * as security from './tidy/security-rules.js';
import { type SourceFile, filesBelow, readSources } from './tidy/source-tree.js';

describe('tidy', () => {
  let files: SourceFile[];
  let paths: string[];

  beforeAll(() => {
    files = readSources();
    paths = filesBelow('');
  });

  describe('imports', () => {
    it('each library imports only those before it, by name', () => {
      expect(imports.libraryFaults(files)).toEqual([]);
    });

    it('no app imports another, except for solo and the imports that cluster, cli and specs need', () => {
      expect(imports.appFaults(files)).toEqual([]);
    });

    it('no feature imports the repository of another', () => {
      expect(imports.featureFaults(files)).toEqual([]);
    });

    it('no two folders import each other', () => {
      expect(imports.mutualFaults(files)).toEqual([]);
    });
  });

  describe('layout', () => {
    it('every file name describes the contents of the file', () => {
      expect(layout.nameFaults(files)).toEqual([]);
    });

    it('every file is of a known kind', () => {
      expect(layout.kindFaults(files)).toEqual([]);
    });

    it('no folder within an app or library contains more than twelve files, not counting specs and migrations', () => {
      expect(layout.folderFaults(files)).toEqual([]);
    });

    it('every app and library has a README', () => {
      expect(layout.readmeFaults(paths)).toEqual([]);
    });

    it('nest-cli.json lists every app with its entry file', () => {
      expect(layout.nestFaults(paths)).toEqual([]);
    });
  });

  describe('code', () => {
    it('business time comes only from the injected clock', () => {
      expect(code.clockFaults(files)).toEqual([]);
    });

    it('every property test has a fixed seed', () => {
      expect(code.seedFaults(files)).toEqual([]);
    });

    it('no interface is called I…', () => {
      expect(code.interfaceFaults(files)).toEqual([]);
    });

    it('every setting declares its type', () => {
      expect(code.settingFaults(files)).toEqual([]);
    });

    it('DTO files contain no mappings', () => {
      expect(code.mappingFaults(files)).toEqual([]);
    });

    it('every listed crash point is called, and no others are', () => {
      expect(code.crashPointFaults(files)).toEqual([]);
      expect(code.crashPointFaults([])).toContain('relay.after-send: never called');
    });
  });

  describe('security', () => {
    it('S86: every internal route names its callers', () => {
      expect(security.openRouteFaults(files)).toEqual([]);
    });

    it.each(['Get', 'Head', 'Options', 'Search', 'Sse', 'All', 'RequestMapping'])(
      'S86: a route that @%s declares without a policy is found',
      (decorator) => {
        const faultsOf = (policy: string) => {
          const text = `@Controller() ${policy} class Orders { @${decorator}('orders') list() {} }`;
          return security.openRouteFaults([{ path: 'apps/billing/src/orders.ts', text }]);
        };
        expect(faultsOf('')).toHaveLength(1);
        expect(faultsOf(`@AllowCallers('gateway')`)).toEqual([]);
      },
    );

    it('S87: every repository method of a tenant table names the account', () => {
      expect(security.tenancyFaults(files)).toEqual([]);
    });

    it('S87: a method of which no parameter contains an account is found', () => {
      const faultsOf = (parameters: string) => {
        const text = `class OrdersRepository { find(${parameters}) { return 'account_id'; } }`;
        return security.tenancyFaults([{ path: 'apps/billing/src/orders.repository.ts', text }]);
      };
      expect(faultsOf('runner: Runner, id: string')).toHaveLength(1);
      expect(faultsOf('runner: Runner, accountId: string, id: string')).toEqual([]);
      expect(faultsOf('transaction: Transaction, order: Order')).toEqual([]);
    });

    it('S92: conditions and sort orders of queries are literals in the source', () => {
      expect(security.queryFaults(files)).toEqual([]);
    });

    it('statement numbers in test titles have the form that the coverage table recognises', () => {
      expect(security.proofNameFaults(files)).toEqual([]);
    });

    it('S93: TypeORM is at least 1.1.0', () => {
      const [major, minor] = security.lockedVersion('typeorm');
      expect(major > 1 || (major === 1 && minor >= 1)).toBe(true);
    });

    it('S106: dependencies are exact, from a registry and at least a week old, and run no scripts', () => {
      expect(security.supplyFaults()).toEqual([]);
    });

    it('S109: no transport of the framework is used, and the framework is new enough to contain the fixes', () => {
      expect(security.transportFaults(files)).toEqual([]);
      const [major, minor, patch] = security.lockedVersion('@nestjs/microservices');
      expect(major > 12 || (major === 12 && (minor > 0 || patch >= 3))).toBe(true);
    });
  });

  describe('secrets', () => {
    it('S113: no file contains text that looks like a secret', () => {
      expect(secrets.secretFileFaults(paths)).toEqual([]);
    });

    it('S113: each kind of secret is recognised by its form, and none is printed', () => {
      const letters = (count: number) => 'aB3'.repeat(count).slice(0, count);
      const samples = [
        `-----BEGIN ${'EC '}PRIVATE KEY-----\n${letters(64)}`,
        `AKIA${'A'.repeat(16)}`,
        `ghp_${letters(36)}`,
        `glpat-${letters(20)}`,
        `npm_${letters(36)}`,
        `xoxb-${letters(24)}`,
        `sk_live_${letters(24)}`,
        `whsec_${letters(32)}`,
        `AIza${letters(35)}`,
        `SG.${letters(22)}.${letters(43)}`,
        `sk-${'ant-'}${letters(40)}`,
        `eyJ${letters(20)}.eyJ${letters(20)}.${letters(43)}`,
        `KEY_PEPPER=${letters(43)}`,
        generateApiKey('live'),
      ];
      for (const sample of samples) {
        const faults = secrets.secretsIn('a.ts', `const a = '${sample}';`);
        expect([sample, faults]).toEqual([sample, [expect.stringMatching(/^a\.ts: an? [\w ]+$/)]]);
      }
      expect(secrets.secretsIn('a.ts', `const a = 'dds_live_${letters(36)}';`)).toEqual([]);
    });
  });

  describe('documents', () => {
    it('every error code has a page, and every page has a code', () => {
      expect(documents.errorPageFaults(files, paths)).toEqual([]);
    });

    it('every error page has the same two sections: what happened and what to do', () => {
      expect(documents.errorPageFormFaults(paths)).toEqual([]);
      const body = '## What happened\n\nThis.\n\n## What to do\n\nThat.\n';
      expect(documents.isErrorPage('a_code', `# A title\n\n\`a_code\`\n\n${body}`)).toBe(true);
      expect(documents.isErrorPage('a_code', `# A title\n\n${body}`)).toBe(false);
      expect(documents.isErrorPage('a_code', '# a_code\n\nThis.\n\nThat.\n')).toBe(false);
    });

    it('every README has at most 600 words', () => {
      expect(documents.readmeLengthFaults(paths)).toEqual([]);
      expect(documents.wordsOf('# One two\n\n| three | --- |\n\n```\nnpm start\n```\n')).toBe(3);
    });

    it('the target of every relative link exists', () => {
      expect(documents.linkFaults(paths)).toEqual([]);
    });
  });

  it('the rules find the faults that they describe', () => {
    const account = 'apps/account/src/keys';
    const caught: [faults: (files: SourceFile[]) => string[], path: string, text: string][] = [
      [imports.libraryFaults, 'libs/platform/src/a.ts', `import '#libs/database';`],
      [imports.libraryFaults, 'libs/mail/src/a.ts', `import '../../platform/src/clock.js';`],
      [imports.libraryFaults, 'libs/mail/src/a.ts', `import '#test/environment';`],
      [imports.appFaults, `${account}/a.ts`, `import '../../../gateway/src/b.js';`],
      [
        imports.featureFaults,
        `${account}/a.ts`,
        `import type { FoundPerson } from '../people/people-by-address.repository.js';`,
      ],
      [layout.nameFaults, 'libs/mail/src/mail-helpers.ts', ''],
      [layout.kindFaults, `${account}/keys.facade.ts`, ''],
      [layout.kindFaults, `${account}/account-deleted.consumer.ts`, ''],
      [layout.kindFaults, `${account}/account-deleted.watcher.ts`, ''],
      [code.clockFaults, 'libs/mail/src/a.ts', `const a = new Date();`],
      [code.seedFaults, 'a.spec.ts', 'fc.assert(property);'],
      [code.seedFaults, 'a.contract.ts', 'await fc.assert(property, { numRuns: 9 });'],
      [code.seedFaults, 'test/a.ts', 'const a = fc.check(property, options);'],
      [code.interfaceFaults, 'libs/mail/src/a.ts', `interface IMail {}`],
      [code.settingFaults, 'a.ts', `class A { @Setting({}) port = 0; }`],
      [code.mappingFaults, 'apps/a/src/b/c.dto.ts', `export function toC() { return {}; }`],
      [code.mappingFaults, 'apps/a/src/b/c.dto.ts', `const toC = (id) => ({ id });`],
      [security.openRouteFaults, 'a.ts', `@Controller() class A { @Get('/x') x() {} }`],
      [
        security.tenancyFaults,
        `${account}/keys.repository.ts`,
        'class KeysRepository { list(id: string) { return sql`select from keys where account_id = $1`; } }',
      ],
      [security.queryFaults, 'apps/a/src/b/c.repository.ts', `repository.findOneBy(Key, request);`],
      [security.proofNameFaults, 'a.spec.ts', `it('S10 and S11: are refused', () => {});`],
      [security.transportFaults, 'a.ts', `connect({ transport: Transport.TCP });`],
    ];
    for (const [faults, path, text] of caught) {
      expect([path, text, faults([{ path, text }]).length]).toEqual([path, text, 1]);
    }
  });
});
