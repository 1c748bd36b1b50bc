import { PageForm, TextField } from '../pages/page-form.dto.js';
import { membersOf, parametersOf } from './search.js';
import { searchedRows } from './searches.js';

export class SearchForm extends PageForm {
  /** Set by the button that only counts the matches. */
  @TextField()
  preview?: string;

  @TextField()
  cursor?: string;
}

export const SEARCH_FIELDS: readonly string[] = [
  ...new Set(searchedRows.flatMap((row) => [...parametersOf(row), ...membersOf(row)])),
];
for (const name of SEARCH_FIELDS) TextField()(SearchForm.prototype, name);
