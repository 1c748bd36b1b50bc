import { PageForm, TextField } from '../pages/page-form.dto.js';
import { membersOf, parametersOf } from './search.js';
import { searchedRows } from './searches.js';

/** The inputs that a search form can have. */
export class SearchForm extends PageForm {
  /** Set by the button that only counts. */
  @TextField()
  preview?: string;

  /** The cursor of the next page. */
  @TextField()
  cursor?: string;
}

/** The names of all fields with search criteria. */
export const SEARCH_FIELDS: readonly string[] = [
  ...new Set(searchedRows.flatMap((row) => [...parametersOf(row), ...membersOf(row)])),
];
for (const name of SEARCH_FIELDS) TextField()(SearchForm.prototype, name);
