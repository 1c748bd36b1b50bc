import type { Migration } from '#libs/database';
import { messaging } from './0001-messaging.js';
import { sourcesAndNames } from './0002-sources-and-names.js';
import { registrations } from './0003-registrations.js';
import { dns } from './0004-dns.js';
import { changes } from './0005-changes.js';
import { jobRuns } from './0006-job-runs.js';
import { trigrams } from './0007-trigrams.js';
import { sourceTotals } from './0008-source-totals.js';
import { textRecords } from './0009-text-records.js';
import { listedNames } from './0010-listed-names.js';
import { changeDetails } from './0011-change-details.js';
import { imports } from './0012-imports.js';
import { lexicalModel } from './0013-lexical-model.js';
import { suppressionHidden } from './0014-suppression-hidden.js';
import { stagedLists } from './0015-staged-lists.js';
import { blockLists } from './0016-block-lists.js';
import { hostSources } from './0017-host-sources.js';
import { listSettings } from './0018-list-settings.js';
import { zoneDifferences } from './0019-zone-differences.js';
import { logHeads } from './0020-log-heads.js';
import { nameSources } from './0021-name-sources.js';
import { handedOverSlices } from './0022-handed-over-slices.js';
import { answeringServers } from './0023-answering-servers.js';
import { repeatedChanges } from './0024-repeated-changes.js';
import { registeredAgain } from './0025-registered-again.js';
import { shownChanges } from './0026-shown-changes.js';
import { unfinishedRuns } from './0027-unfinished-runs.js';
import { erasurePosition } from './0028-erasure-position.js';

/** The migrations, in order; a released migration is never edited. */
export const migrations: Migration[] = [
  messaging,
  sourcesAndNames,
  registrations,
  dns,
  changes,
  jobRuns,
  trigrams,
  sourceTotals,
  textRecords,
  listedNames,
  changeDetails,
  imports,
  lexicalModel,
  suppressionHidden,
  stagedLists,
  blockLists,
  hostSources,
  listSettings,
  zoneDifferences,
  logHeads,
  nameSources,
  handedOverSlices,
  answeringServers,
  repeatedChanges,
  registeredAgain,
  shownChanges,
  unfinishedRuns,
  erasurePosition,
];
