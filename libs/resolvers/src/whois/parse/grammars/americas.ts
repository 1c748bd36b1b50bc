import type { Grammar } from './grammar.js';

export const AMERICAS: readonly Grammar[] = [];
