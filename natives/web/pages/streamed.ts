/** Pages that are sent while they are made. */
import { native, nativeLike } from '../../../vm/calls/native.js';
import type { Coroutine } from '../../../vm/fibers/coroutine.js';
import type { NativeContext } from '../../../vm/nativecontext.js';
import { Errors, fail } from '../../../vm/values/error.js';
import type { NativeFunction } from '../../../vm/values/function.js';
import type { Hash } from '../../../vm/values/hash.js';
import type { Value } from '../../../vm/values/value.js';
import type { StreamWriter } from '../streams/writer.js';
import { argumentsOf, type Body, Page, type Template } from './page.js';
import { PageStream } from './pagestream.js';

// Templates of the functions created for each call.
const RUN = native('page', '', 'Any', 'Makes a page.', () => null);

/** The template within a layout, while both are sent. It starts when the layout asks for its content or its text. */
class StreamedPage extends PageStream implements Body {
  /** `head`: before its first text, `shown`: sent where `yield` stands, `collected`: made as a whole. */
  private part: 'head' | 'shown' | 'collected' = 'head';
  private coroutine: Coroutine | null = null;
  /** Its last text, once it has ended. */
  private rest: string | null = null;
  /** Names of content that the layout has shown above `yield`. */
  private readonly asked = new Set<string>();

  constructor(
    writer: StreamWriter,
    private readonly template: Template,
    private readonly page: Page,
    private readonly values: Hash,
  ) {
    super(writer);
  }

  /** Before the first text the layout continues, and shows the content that the page has collected. */
  override flush(vm: NativeContext, text: string): Value | undefined {
    const { part, coroutine } = this;
    if (part === 'shown') return super.flush(vm, text);
    const isFirst = part === 'head' && coroutine?.state === 'running' && (isText(this.pending) || isText(text));
    return isFirst ? vm.park(coroutine, null, text) : text;
  }

  get isRunning(): boolean {
    return this.coroutine?.state === 'running';
  }

  /** Runs the page up to its first text. */
  content(vm: NativeContext, name: string, then: () => Value): Value | undefined {
    if (this.part === 'head' && !this.isRunning) this.asked.add(name);
    return this.coroutine === null && this.part === 'head' ? this.go(vm, then) : then();
  }

  checkContent(name: string): void {
    if (this.part !== 'head' && this.isRunning && this.asked.has(name))
      fail(
        Errors.RuntimeError,
        `content_for(:${name}) stands after the first text of a streamed page, whose layout has already shown it: write it before any text, or show it below \`yield\` in the layout`,
      );
  }

  show(vm: NativeContext, outer: PageStream, before: string): Value | undefined {
    if (this.part !== 'head')
      fail(Errors.RuntimeError, 'a streamed page is shown once: render it without `stream: true` for several `yield`');
    this.part = 'shown';
    // What stands above the page need not wait for it: the browser can load what it names.
    const sent = nativeLike(RUN, () => this.writer.write(outer.take(before)));
    const text = (): string => this.take(this.rest as string);
    return vm.callThen(sent, [], { done: () => this.go(vm, text) });
  }

  collect(vm: NativeContext, then: (html: string) => Value): Value | undefined {
    this.part = 'collected';
    return this.go(vm, () => then(this.take(this.rest as string)));
  }

  /** Runs the page up to the next stop, or up to its end. */
  private go(vm: NativeContext, done: () => Value): Value | undefined {
    if (this.rest !== null) return done();
    const run = nativeLike(RUN, (inner: NativeContext) =>
      inner.callThen(this.template.fn, argumentsOf(this.template, this.page, this.values, this), {
        done: (html) => {
          this.rest = html as string;
          return null;
        },
      }),
    );
    const coroutine = (this.coroutine ??= vm.newCoroutine(run, [], this));
    const resume = nativeLike(RUN, (inner: NativeContext) => inner.resume(coroutine));
    return vm.callThen(resume, [], { done });
  }

  /** Called when the layout has ended: runs the `ensure` blocks of a page that it has not shown. */
  close(vm: NativeContext): Value | undefined {
    const { coroutine } = this;
    return coroutine === null ? null : vm.close(coroutine);
  }
}

function isText(text: string): boolean {
  return /\S/.test(text);
}

/** Makes a page and sends it. */
export function sending(
  writer: StreamWriter,
  template: Template,
  around: Template | null,
  values: Hash,
): NativeFunction {
  return nativeLike(RUN, (vm: NativeContext) => {
    const page = new Page();
    const stream = new PageStream(writer);
    const finish = (html: Value): Value | undefined => writer.write(stream.take(html as string), null);
    if (around === null) return vm.callThen(template.fn, argumentsOf(template, page, values, stream), { done: finish });
    const body = (page.body = new StreamedPage(writer, template, page, values));
    const closed = (then: () => Value | undefined): undefined =>
      vm.callThen(
        nativeLike(RUN, (inner: NativeContext) => body.close(inner)),
        [],
        { done: then },
      );
    return vm.callThen(around.fn, argumentsOf(around, page, values, stream), {
      done: (html) => closed(() => finish(html)),
      failed: (thrown) =>
        closed(() => {
          throw thrown;
        }),
    });
  });
}
