/** SQL: whether the grant `revived` received the credits returned to the grant `ended`; see `revivalOf`. */
export const IS_REVIVED = (revived: string, ended: string) => `(
  ${revived}.source_type = 'release' and ${revived}.account_id = ${ended}.account_id
    and ${revived}.source_id = case ${ended}.source_type
      when 'release' then ${ended}.id::text else ${ended}.source_id end
    and ${revived}.source_index = case ${ended}.source_type
      when 'release' then 0 else ${ended}.source_index end)`;
