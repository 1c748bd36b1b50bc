/** Loads every service, so that all of its metrics are declared. For the documents alone. */
import '../../account/src/start.js';
import '../../entitlement/src/start.js';
import '../../gateway/src/start.js';
import '../../lookup/src/start.js';
