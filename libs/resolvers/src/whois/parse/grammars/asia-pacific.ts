import type { Grammar } from './grammar.js';

export const ASIA_PACIFIC: readonly Grammar[] = [];
