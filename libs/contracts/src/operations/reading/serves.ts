import { HttpCode, RequestMapping, RequestMethod, applyDecorators } from '@nestjs/common';
import { AllowCallers, type ServiceName } from '#libs/platform';
import type { Operation } from '../operation.js';

/**
 * Routes a method of the owner's controller by a row of the table of operations: at the row's path, with its status.
 * @param callers who may call it besides the gateway.
 */
export function Serves(row: Operation, ...callers: readonly ServiceName[]): MethodDecorator {
  const { method, owner, answers } = row;
  const [form] = answers;
  return applyDecorators(
    RequestMapping({
      method: RequestMethod[method],
      path: owner.path.replace(/\{(\w+)\}/g, ':$1'),
    }),
    HttpCode((form.type === 'application/json' && form.status) || 200),
    AllowCallers('gateway', ...callers),
  );
}
