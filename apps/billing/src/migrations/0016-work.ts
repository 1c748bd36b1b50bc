import type { Migration } from '#libs/database';
import { workTable } from '#libs/work';

export const work: Migration = { name: '0016-work', sql: workTable };
