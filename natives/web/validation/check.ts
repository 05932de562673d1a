import { afterwards } from '../../../vm/calls/native.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { SvcError } from '../../../vm/values/error.js';
import type { Steps } from '../../../vm/values/steps.js';
import { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import { completed } from '../../core/fields/complete.js';
import { type Incomplete, Reader, UNFIT } from '../../core/fields/reader.js';
import { allows } from '../../core/fields/types.js';
import { encodeJson } from '../../core/json/encode.js';
import { MAX_STEP_CHARACTERS, parseJson, parseSteps } from '../../core/json/jsonparse.js';
import type { Checked } from '../request/checked.js';
import { nestLeniently } from '../request/nested.js';
import type { Request } from '../request/request.js';
import { Response } from '../response/response.js';
import type { Declared, DeclaredBody, DeclaredTexts } from './declared.js';
import { errorHash, type Place, Problems } from './problems.js';
import { FORM_TYPE } from '../../http/mediatype.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const FORMS = new Set([FORM_TYPE, 'multipart/form-data']);

/** One check of a request against what its route declares. */
class Check {
  readonly problems = new Problems();
  readonly incomplete: Incomplete[] = [];
  /** The answer to a request whose body cannot be read at all. */
  refusal: Response | null = null;

  constructor(
    private readonly request: Request,
    private readonly declared: Declared,
  ) {}

  *steps(): Generator<void, null, void> {
    const { request, declared } = this;
    const checked: Checked = {
      body: null,
      query: null,
      params: null,
      errors: this.problems.list,
      options: declared.options,
    };
    request.checked = checked;
    const { params, query, body } = declared;
    if (params !== null) checked.params = yield* this.texts(params, request.paramPairs(), 'path');
    if (query !== null) checked.query = yield* this.texts(query, request.queryPairs(), 'query');
    if (body !== null) checked.body = yield* this.body(body);
    return null;
  }

  /** The answer to the request; null if its handler runs. */
  answer(): Response | null {
    const { refusal, problems, declared } = this;
    if (refusal !== null || problems.list.length === 0 || declared.runsWithErrors) return refusal;
    return refused(422, problems.list);
  }

  private *texts(
    { type, quick }: DeclaredTexts,
    pairs: readonly (readonly [string, string])[],
    place: Place,
  ): Generator<void, Value, void> {
    const made = quick(pairs);
    if (made !== UNFIT) return made;
    const reader = this.reader(place, 'plain');
    // The names of path parameters have no brackets.
    const read = yield* reader.record(type, nestLeniently(pairs), null, 0);
    return this.done(reader, read);
  }

  private reader(place: Place, texts: 'form' | 'plain' | null): Reader {
    return new Reader({
      report: (path, problem) => this.problems.add(place, path, problem),
      strict: false,
      texts,
    });
  }

  private done(reader: Reader, read: Value | typeof UNFIT): Value {
    if (read === UNFIT) return null;
    this.incomplete.push(...reader.incomplete);
    return read;
  }

  private *body(declared: DeclaredBody): Generator<void, Value, void> {
    const { request } = this;
    const { upload, body } = request.parts;
    const type = request.contentType;
    const isForm = declared.forms && type !== null && FORMS.has(type);
    // A form may be empty: its only field is a checkbox that is not set.
    if (upload === null && body.length === 0 && (!isForm || allows(declared.type, 'Nil')))
      return this.missing(declared);
    if (declared.json && type !== null && (type === 'application/json' || /^application\/.+\+json$/.test(type)))
      return yield* this.json(declared);
    if (!isForm) {
      this.refusal = unsupported(declared);
      return null;
    }
    const reader = this.reader('body', 'form');
    const pairs: Iterable<readonly [string, Value]> =
      upload === null ? request.formPairs() : [...upload.fields, ...upload.files];
    const read = yield* reader.value(declared.type, nestLeniently(pairs), null, 0);
    return this.done(reader, read);
  }

  private missing({ type }: DeclaredBody): null {
    if (!allows(type, 'Nil')) this.problems.add('body', null, { kind: 'missing' });
    return null;
  }

  private *json(declared: DeclaredBody): Generator<void, Value, void> {
    const { body } = this.request.parts;
    const isLong = body.length > MAX_STEP_CHARACTERS;
    let data: Value;
    try {
      const text = STRICT_UTF8.decode(body);
      data = isLong ? yield* parseSteps(text) : parseJson(text);
    } catch (error) {
      this.refusal = refused(400, [errorHash('body', '', syntaxText(error))]);
      return null;
    }
    const quick = isLong ? UNFIT : declared.quick(data, 0);
    if (quick !== UNFIT) return quick;
    const reader = this.reader('body', null);
    const read = yield* reader.value(declared.type, data, null, 0);
    return this.done(reader, read);
  }
}

/** What is wrong with a text that is no JSON, with its place. */
function syntaxText(error: unknown): string {
  if (error instanceof SvcError) return error.value.message.replace(/^\w+\(\): /, '');
  // The decoder refuses invalid UTF-8.
  if (error instanceof TypeError) return 'the body is not UTF-8';
  throw error;
}

function refused(status: number, errors: Value[]): Response {
  return new Response(status, encodeJson(Hash.from([['errors', errors]])), JSON_TYPE);
}

function unsupported({ json, forms }: DeclaredBody): Response {
  const types = [...(json ? ['application/json'] : []), ...(forms ? [...FORMS] : [])];
  const response = refused(415, [errorHash('body', '', `the body must be ${types.join(' or ')}`)]);
  response.addField('Accept', types.join(', '));
  return response;
}

/**
 * Checks a request at once. Returns null if its handler can run, the answer if it does not fit, and 'later' if the check
 * takes long or needs the program.
 */
export function checkNow(request: Request, declared: Declared): Response | 'later' | null {
  if (request.parts.body.length > MAX_STEP_CHARACTERS) return 'later';
  const check = new Check(request, declared);
  if (check.steps().next().done !== true || check.incomplete.length > 0) return 'later';
  return check.answer();
}

/** Checks a request, then runs its handler with `run`, or continues with the answer to a request that does not fit. */
export function checked(
  vm: NativeContext,
  request: Request,
  declared: Declared,
  run: () => Value | undefined,
  refuse: (response: Response) => Value | undefined,
): Value | undefined {
  const check = new Check(request, declared);
  const steps: Steps = check.steps();
  const done = (): Value | undefined => {
    const answer = check.answer();
    return answer === null ? completed(vm, check.incomplete, run) : refuse(answer);
  };
  if (steps.next().done === true) return done();
  return afterwards(vm, () => vm.inPieces('validation', steps), done);
}
