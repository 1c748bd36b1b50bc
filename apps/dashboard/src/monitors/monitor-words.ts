import type { MonitorAnswer, MonitorState } from '#libs/contracts';
import { html } from '#libs/public-http';

export const MONITOR_STATE_WORDS: Readonly<Record<MonitorState, string>> = {
  active: 'active',
  paused: 'paused',
  over_limit: 'paused: your plan allows fewer monitors',
};

export function subjectOf({ watches }: MonitorAnswer): string {
  const { domain_name, keyword, owner, email, company } = watches;
  return domain_name ?? keyword ?? owner ?? email ?? company ?? '';
}

export const older = (at: string, cursor: string | null) =>
  cursor === null
    ? undefined
    : html`<a href="${at}?cursor=${encodeURIComponent(cursor)}">Older</a>`;
