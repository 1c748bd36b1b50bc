import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LEAKED_KEYS, type LeakedKeysAnswer, Serves } from '#libs/contracts';
import { NotFound, UnsupportedMediaType } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import { GithubSignaturesService } from './github-signatures.service.js';
import { LeakedKeysService } from './leaked-keys.service.js';

/** Receives reports of GitHub's secret scanning as they reached the dashboard, if the operator takes part in it. */
@Controller()
export class LeakedKeysController {
  constructor(
    private readonly signatures: GithubSignaturesService,
    private readonly leakedKeys: LeakedKeysService,
    private readonly config: AccountConfig,
  ) {}

  @Serves(LEAKED_KEYS)
  async receive(@Req() { body, headers }: FastifyRequest): Promise<LeakedKeysAnswer> {
    if (!this.config.takesLeakReports) throw new NotFound();
    if (!Buffer.isBuffer(body)) throw new UnsupportedMediaType();
    const [keyId, signature] = ['identifier', 'signature'].map((part) =>
      String(headers[`github-public-key-${part}`] ?? ''),
    );
    await this.signatures.check(body, { keyId, signature });
    await this.leakedKeys.revoke(body);
    return { received: true };
  }
}
