/** The thread of a job. */
import { afterwards, native } from '../../vm/calls/native.js';
import type { Deadline } from '../../vm/fibers/fiber.js';
import type { NativeContext } from '../../vm/nativecontext.js';
import { Errors } from '../../vm/values/error.js';
import type { NativeFunction } from '../../vm/values/function.js';
import { floatText } from '../../vm/values/text/text.js';
import type { Value } from '../../vm/values/value.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../core/json/jsonparse.js';
import type { Handler } from './handlers.js';
import type { Job } from './job.js';

/** Makes the native that reads the data of a job and calls its handler for at most the handler's `timeout`. */
export function runJob(job: Job, handler: Handler): NativeFunction {
  return native('job', '', 'Nil', 'Runs a job.', (vm: NativeContext) => {
    const { data } = job.row;
    const call = (value: Value): Value | undefined => {
      job.data = value;
      return timed(vm, job, handler);
    };
    if (data.length <= MAX_STEP_CHARACTERS) return call(parseJson(data));
    return afterwards(vm, () => vm.inPieces('JSON', parseSteps(data)), call);
  });
}

/** Calls the handler. @throws TimeoutError when its time has run out */
function timed(vm: NativeContext, job: Job, { fn, timeout }: Handler): undefined {
  const deadline = vm.pushDeadline(timeout);
  return vm.callThen(fn, [job], {
    done: () => {
      end(vm, job, deadline);
      return null;
    },
    failed: (thrown) => {
      end(vm, job, deadline, thrown);
      throw thrown;
    },
  });
}

function end(vm: NativeContext, job: Job, deadline: Deadline, thrown: unknown = null): void {
  const { seconds } = deadline;
  if (!vm.scheduler.popDeadline(deadline, thrown)) return;
  throw deadline.raised(
    Errors.TimeoutError,
    `the job ${job.row.name} timed out after ${Number.isInteger(seconds) ? seconds : floatText(seconds)}s`,
  );
}
