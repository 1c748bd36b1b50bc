import type { Grammar } from './grammar.js';

export const EASTERN_EUROPE: readonly Grammar[] = [];
