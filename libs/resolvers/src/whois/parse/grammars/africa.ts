import type { Grammar } from './grammar.js';

export const AFRICA: readonly Grammar[] = [];
