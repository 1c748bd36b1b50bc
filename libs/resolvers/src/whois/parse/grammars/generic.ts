import type { Grammar } from './grammar.js';

export const GENERIC: readonly Grammar[] = [];
