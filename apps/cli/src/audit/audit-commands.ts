import type { Command } from 'commander';
import type { CliConfig } from '../cli.config.js';
import { withService } from '../service-calls.js';

/** `audit`: whether the log of who did what is as it was written (S116). */
export function auditCommands(program: Command, config: CliConfig): void {
  program
    .command('audit')
    .description('the append-only log of who did what')
    .command('verify')
    .description('walk the chain of hashes; exits 1 and names the first entry that was changed')
    .action(() => verify(config));
}

async function verify(config: CliConfig): Promise<void> {
  const { entries, brokenAt } = await withService(config, 'account', (http) =>
    http.call<{ entries: string; brokenAt: string | null }>(
      'POST',
      '/internal/operator/audit/verify',
    ),
  );
  if (brokenAt === null) {
    process.stdout.write(`${entries} entries, all as they were written\n`);
    return;
  }
  process.stderr.write(`entry ${brokenAt} of ${entries} is not as it was written\n`);
  process.exitCode = 1;
}
