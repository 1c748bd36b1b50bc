export const JOB_COLUMNS = `id, account_id as "accountId", kind, state, is_canceled as "isCanceled", format, types,
  max_age_seconds as "maxAgeSeconds", list_id as "listId", lines, unique_names as "uniqueNames", invalid,
  invalid_lines as "invalidLines", unsupported, delivered, failed, charged, estimate_seconds as "estimateSeconds", created_at as "createdAt",
  deadline_at as "deadlineAt", finished_at as "finishedAt", expires_at as "expiresAt", artifact,
  left_out_part as "leftOutPart", left_out_rows as "leftOutRows"`;
