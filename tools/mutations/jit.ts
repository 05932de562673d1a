import { mutationsOf, type Mutation } from './mutation.js';

const TESTS = ['test/vm/jit/guards.unit.ts'];
/** Tests that count slices. */
const FUEL = ['test/vm/jit/loops.unit.ts'];
/** Whether small Integers have the form that V8 gives them. */
const SMALL = ['test/vm/values/smallintegers.unit.ts'];
const FEEDBACK = ['test/svcc/feedback.unit.ts'];

/** Guards of compiled code: without one, a program computes a wrong result. */
// prettier-ignore
export const JIT: readonly Mutation[] = [
  ...mutationsOf('vm/jit/emit/emitters.ts', SMALL, {
    'remainders keep the form of doubles': ['`(i=(t=${b}%${c})|0)===t?i:t`', '`${b}%${c}`'],
  }),
  ...mutationsOf('vm/values/numbers/arithmetic.ts', SMALL, {
    'results keep the form of doubles': ['return i === n ? i : n;', 'return n + 0;'],
  }),
  ...mutationsOf('vm/interpreter/run.ts', SMALL, {
    'differences keep the form of doubles': ['(i = (t = p - q) | 0) === t) R[a] = i;', '(i = (t = p - q) | 0) === t) R[a] = t;'],
  }),
  ...mutationsOf('vm/jit/emit/emitters.ts', TESTS, {
    'arithmetic takes anything for numbers': ['const small = all(areNumbers(g, b, c), `(i=(t=', 'const small = all(`(i=(t=', 'of Integers'],
    'sums overflow to 32 bits': ['${operator}${y})|0)===t`', '${operator}${y})|0,true)`', 'of Integers'],
    'texts are joined with anything': ["`else if(typeof ${x}==='string'&&typeof ${y}==='string')r", "`else if(typeof ${x}==='string')r", 'of texts'],
    'anything is compared as numbers': ['g.out(then(`(${ints}?${x}', 'g.out(then(`(true?${x}', '< of'],
    'Floats are divided by zero': ['if(${floats}&&r${c}.n!==0)r', 'if(${floats})r', '/ of'],
    'negative Integers are divided without rounding down': ['`${b}>=0&&${c}>0&&${b}<=0x7fffffff`', '`${c}>0&&${b}<=0x7fffffff`', '//'],
    'Integers are divided by what is not positive': ['`${b}>=0&&${c}>0&&${b}<=0x7fffffff`', '`${b}>=0&&${b}<=0x7fffffff`', '//'],
    'quotients of large Integers are cut to 32 bits': ['`${b}>=0&&${c}>0&&${b}<=0x7fffffff`', '`${b}>=0&&${c}>0`', '//'],
    'a remainder has the sign of the dividend': ['MOD: wholes((b, c) => `${b}>=0&&${c}>0`', 'MOD: wholes((b, c) => `${c}>0`', '%'],
    'remainders of what is not positive': ['MOD: wholes((b, c) => `${b}>=0&&${c}>0`', 'MOD: wholes((b, c) => `${b}>=0`', '%'],
    'an Integer is added to anything': ["const small = `typeof r${b}==='number'&&(i=(t=r${b}+", 'const small = `(i=(t=r${b}+', 'constant'],
    'sums with a constant overflow': ['r${b}+${immediate})|0)===t`', 'r${b}+${immediate})|0,true)`', 'constant'],
    'anything is negated as a Float': ["if(${isInstance(`r${b}`, 'Float')})r${a}=new Float(-r${b}.n)", 'if(true)r${a}=new Float(-r${b}.n)', 'negation'],
    'anything is less than a constant as a number': ["if(!(typeof r${a}==='number'?r${a}<", 'if(!(true?r${a}<', 'less than'],
    'natives take arguments of any type': ["else g.helper(instruction, `${direct.condition}?${direct.call}:vm.invoke", "else g.helper(instruction, `true?${direct.call}:vm.invoke", 'argument'],
    'a slot of a new record is believed to be a Float': ["isFloat(slot) ? isInstance(`r${r}`, 'Float') : `!(", "isFloat(slot) ? 'true' : `!(", 'new records'],
    'parts of a text are believed to be texts': ["if(${all(others.map(isPart).join('&&'))})r", 'if(true)r', 'parts'],
    'a missing argument is nil': ["`r${instruction.a}!==${g.value(ABSENT)}`", "'true'", 'left out'],
  }),
  ...mutationsOf('vm/jit/kept/keptcode.ts', ['test/vm/jit/kept.unit.ts'], {
    'stored code is used again after it was wrong': ['|| this.used.get(fn)?.has(entry) === true) return null;', ') return null;'],
    'code of the VM and code that cannot be stored are new in each run': ['if (index === undefined || this.unkept.has(`${index}:${entry}`)) return;', 'if (index === undefined) return;'],
    'code that this run did not need is lost': ['const kept = new Map(functions.map(({ index }) => [index, this.stored.at(index) as KeptFunction]));', 'const kept = new Map<number, KeptFunction>();'],
    'a few new functions are always stored': ['(times < ALWAYS_STORED ? 0 : count * WORTH_STORING)', '0'],
  }),
  ...mutationsOf('vm/jit/emit/indexing.ts', TESTS, {
    'properties of JavaScript are elements': ["`typeof ${i}==='number'&&Array.isArray(${v})&&", '`Array.isArray(${v})&&', 'elements'],
    'texts have elements': ["&&Array.isArray(${v})&&${i}>=0", "&&${v}!==null&&${v}.length!==undefined&&${i}>=0", 'elements'],
    'negative indexes are those of JavaScript': ['&&${i}>=0&&${i}<${v}.length`', '&&${i}<${v}.length`', 'elements'],
    'elements behind the end': ['&&${i}>=0&&${i}<${v}.length`', '&&${i}>=0`', 'elements'],
    'a constant index is always there': ['`Array.isArray(${v})&&${v}.length>${constant}`', '`Array.isArray(${v})`', 'first elements'],
    'anything has a constant index': ['`Array.isArray(${v})&&${v}.length>${constant}`', '`${v}?.length>${constant}`', 'first elements'],
    'any key is looked up as a text': ["`(typeof ${key}==='string'||typeof ${key}==='number')`", "'true'", 'values of'],
    'another key has the slot of the last one': ['ofObject(v, () => `${i}===${cache}.key&&', 'ofObject(v, () => `', 'values of'],
    'another shape has the slots of the last one': ['===${cache}.key&&${v}.shape===${cache}.shape`', '===${cache}.key`', 'values of'],
    'anything has the slots of a hash': ['ofObject(v, () => `${i}===${cache}.key&&${v}.shape===${cache}.shape`)', '`${i}===${cache}.key&&${v}.shape===${cache}.shape`', 'values of'],
    'anything has characters': ["`if(typeof ${v}==='string'&&typeof ${i}==='number')", "`if(typeof ${i}==='number')", 'characters'],
  }),
  ...mutationsOf('vm/jit/emit/floats.ts', TESTS, {
    'raw Floats are divided by zero': ['g.guard(`${numbers[1]}!==0`);', '', '/ of'],
    'a jump with NaN takes the other way': ['`!(${numbers[0]}${operator}${numbers[1]})`', "`${numbers[0]}${({ '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as Record<string, string>)[operator]}${numbers[1]}`", 'jump by'],
    'a field of a hash is believed to be a Float': ['&&u.n!==undefined`', '`', 'fields of hashes'],
    'a field of a hash is believed not to be nil': ['&&(u=${code})!==null&&u.n', '&&(u=${code}).n', 'fields of hashes'],
    'a function like sqrt gives NaN': ['g.guard(`(t=${g.value(native.onDouble)}(${g.unboxed(args[0])}))===t`);', 'g.out(`t=${g.value(native.onDouble)}(${g.unboxed(args[0])});`);', 'sqrt'],
    'a record is not looked at before its Float': ['g.records.expectRecord(b, cache);', 'g.out(`h${b}=r${b}.fields;`);', 'fields of'],
    'a Float field is not looked at': ['g.records.expectFloats(b, cache);', 'g.out(`e${b}=h${b}.doubles;`);', 'fields of'],
    'a record is not looked at before a Float is stored': ['g.records.expectRecord(a, cache);', 'g.out(`h${a}=r${a}.fields;`);', 'fields of'],
    'a Float is stored where no Float was': ['if (g.records.hasFloat(a, cache.slot)) g.out', 'if (true) g.out', 'fields of'],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', TESTS, {
    'a register is believed to hold a Float': ['this.out(unboxing(r, this.exits.deopt(this.at, -1)))', 'this.out(`f${r}=r${r}.n;`)', 'of Floats'],
    'a register is believed to hold an Integer': ["this.out(`if(typeof ${this.use(r)}!=='number')${this.exits.deopt(this.at, -1)}`);", 'this.use(r);', 'Float and an Integer'],
    'guards are left out': ['this.out(`if(!(${condition}))${this.exits.deopt(this.at, -1)}`);', 'this.out(`${condition};`);', 'fields of'],
    'what was known of a register stays after it is written': ['    this.records.forget(r);', '', 'record'],
    'calls leave the fields of records as they are': ['if (!keepsFields) this.records.clearFloats();', '', 'change'],
    'records are known where ways meet': ['instruction.info.op === Op.CATCH) { records.clear(); literals.clear(); }', 'instruction.info.op === Op.CATCH) { literals.clear(); }', 'meet'],
    'handlers do not find their values': ['for (const handler of this.live.handlersOf[i]) for (const r of this.live.before(handler)) this.use(r);', '', 'handlers'],
    'a list is believed where a loop is entered': ['${unless(`r${r} instanceof ListIterator`)}l${r}', 'l${r}', 'loops'],
    'a gathering loop begins at its first element when entered': ['-r${r}.length;`', ';`', 'entered'],
    'a wanted result is dropped': ['return ${this.entry < 0 ? `w===true?null:${value}` : value};', 'return ${this.entry < 0 ? `w!==undefined||true?null:${value}` : value};', 'dropped'],
    'every result is dropped': ['return !this.isLiveAfter(0, a);', 'return true;', 'dropped'],
    'a loop that has never run is compiled': ['if (!this.layout.hasRun(pc)) this.out(this.exits.deopt(this.at, NEVER_RAN));', ''],
  }),
  ...mutationsOf('vm/jit/emit/exits.ts', TESTS, {
    'a gathered vector is left as long as it will be': ['return `cut(r${r},${this.appendedCount(appending)})`;', 'return `r${r}`;', 'map'],
  }),
  ...mutationsOf('vm/jit/emit/scopewriter.ts', ['test/vm/jit/floats.unit.ts', 'test/vm/jit/traps.unit.ts'], {
    'code that gives up stays in its try': ["return this.open.some(({ kind }) => kind === 'try');", 'return false;'],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', ['test/vm/jit/floats.unit.ts', 'test/vm/jit/traps.unit.ts', 'spec:language/operators'], {
    'numbers are believed where a loop is entered': ['${unless(`r${r} instanceof CountIterator`)}l${r}', 'l${r}'],
    'a Float is believed where a loop is entered': ['take + unboxing(r, leave())', '`${take}f${r}=r${r}.n;`'],
  }),
  ...mutationsOf('vm/jit/analysis/floatforms.ts', TESTS, {
    'a raw Float is lost where ways meet': ['text += `r${r}=new Float(f${r});`', "text += ''", 'meet'],
  }),
  ...mutationsOf('vm/jit/emit/natives.ts', TESTS, {
    'a call does not count its arguments': ['${f} instanceof Closure&&${f}.entry.arity===${args.length}`', '${f} instanceof Closure`', 'calls of'],
    'anything is called like a function': ['${f} instanceof Closure&&${f}.entry.arity===${args.length}`', '${f}.entry?.arity===${args.length}`', 'calls of'],
    'parameters of other types take anything': ['(typeTest(typeText, r) ?? `${g.value(check)}(${r})`)', "(typeTest(typeText, r) ?? '')", 'argument'],
    'a call with too few arguments runs': ['if (!missing.every(canBeMissing)) return null;', '', 'too few'],
    'a call with too many arguments runs': ['|| (args.length > plain.length && !hasRest)) return null', ') return null', 'too few'],
    'any handle has the methods of the last one': ['${r} instanceof Handle&&${r}.type===${g.value(cache.handleType)}', '${r} instanceof Handle', 'handle'],
    'any receiver has the methods of texts': ["['String', (r) => `typeof ${r}==='string'`]", "['String', () => 'true']", 'kind after'],
    'any receiver has the methods of vectors': ["['Vector', (r) => `Array.isArray(${r})`]", "['Vector', () => 'true']", 'methods of'],
    'any receiver has the methods of hashes': ["['Hash', (r) => isInstance(r, 'Hash')]", "['Hash', () => 'true']", 'methods of'],
    'any receiver has the methods of Integers': ["['Integer', (r) => `typeof ${r}==='number'`]", "['Integer', () => 'true']", 'methods of'],
    'any receiver has the methods of Floats': ["['Float', (r) => isInstance(r, 'Float')]", "['Float', () => 'true']", 'methods of'],
  }),
  ...mutationsOf('vm/jit/emit/fields.ts', TESTS, {
    'any hash has the shape that was seen': ["'shape'}===${g.value(shape)}`", "'shape'}${ofRecord ? `===${g.value(shape)}` : '!==undefined'}`", 'fields of hashes'],
    'any record has the shape that was seen': ["'shape'}===${g.value(shape)}`", "'shape'}${ofRecord ? '!==undefined' : `===${g.value(shape)}`}`", 'record'],
    'another shape has the slot of the last': ['shapes.map((seen) => readOf(g, seen, r))', 'shapes.map((seen) => readOf(g, { ...seen, slot: cache.slot }, r))', 'several kinds'],
    'a Float in a slot is read boxed': ['`${isBoxed(r, slot)}?${inRecord(r, slot)}:r${r}.at(${slot})`', 'inRecord(r, slot)', 'record'],
    'a Float is stored boxed': ["`${isBoxed(r, slot)}&&!(${isInstance(value, 'Float')})`", "'true'", 'record'],
  }),
  ...mutationsOf('vm/jit/fieldaccess.ts', TESTS, {
    'what is read as it runs has any shape': ['if (value instanceof Hash) return value.shape === shape && !ofRecord ?', 'if (value instanceof Hash) return !ofRecord ?', 'fields'],
    'records that are read as they run have any shape': ['return value instanceof RecordValue && value.layout === shape ?', 'return value instanceof RecordValue && ofRecord ?', 'fields'],
    'what is changed as it runs has any shape': ['if (receiver.shape !== shape || ofRecord) return false;', 'if (ofRecord) return false;', 'fields'],
    'records that are changed as they run have any shape': ['if (!(receiver instanceof RecordValue) || receiver.layout !== shape) return false;', 'if (!(receiver instanceof RecordValue) || !ofRecord) return false;', 'fields'],
  }),
  ...mutationsOf('vm/jit/keycache.ts', TESTS, {
    'a key is noted at the wrong slot': ['this.slot = slot;', 'this.slot = 0;', 'hashes'],
    'a missing key is noted': ['if (slot === undefined) return null;', '', 'hashes'],
    'fields of records are noted like keys': ['receiver instanceof Fields || ', '', 'keys that'],
  }),
  ...mutationsOf('vm/jit/emit/iterating.ts', TESTS, {
    'anything is counted': ['g.guard(all(numbers, `${hi}<${Number.MAX_SAFE_INTEGER}`));', '', 'loops'],
    'ranges end at the largest exact number': ['all(numbers, `${hi}<${Number.MAX_SAFE_INTEGER}`)', 'all(numbers)', 'loops'],
    'anything is a range': ["g.guard(`${source} instanceof Range`);", '', 'loops'],
    'anything is a vector': ['g.guard(`Array.isArray(${source})`);', '', 'loops'],
    'ranges are never exclusive': ['`+(${source}.exclusive?0:1)`', "'+1'", 'loops'],
    'a list is as long as it was': ["const end = loop.over === OVER_LIST ? `l${r}.length` : `l${r}`;", "const end = loop.over === OVER_LIST ? `(l${r}.svc??=l${r}.length)` : `l${r}`;", 'changes meanwhile'],
    'a vector stays as long as it was foreseen': ['const trim = appending?.next === g.at ?', 'const trim = false ?', 'map'],
    'vectors of any length are made before they are filled': ['if((t=${count})>0&&t<=${MAX_PREALLOCATED_ELEMENTS})', 'if((t=${count})!==t+1)', 'map'],
    'anything is appended to as a vector': ['if(Array.isArray(r${b})&&r${b}.length', 'if(r${b}.length', 'appending'],
    'a gathering loop over numbers counts from zero': ["`${loop.over === OVER_LIST ? '' : `o${a}=x${a};`}if(", "`${loop.over === OVER_LIST ? '' : `o${a}=0;`}if(", 'map'],
  }),
  ...mutationsOf('vm/jit/analysis/loops.ts', TESTS, {
    'an iterator that others use is kept in locals': ['|| !this.isOwn(region, instructions[iter].a)', '', 'iterators'],
    'a vector is gathered that was not made for it': ['return this.isMadeBefore(iter, b) && this.isOnlyAppended', 'return this.isOnlyAppended', 'iterators'],
    'a vector is gathered that others see': ['this.isMadeBefore(iter, b) && this.isOnlyAppended(region, append, b) ?', 'this.isMadeBefore(iter, b) ?', 'iterators'],
  }),
  ...mutationsOf('vm/jit/emit/emitters.ts', FUEL, {
    'a loop never yields': ['if(${isSpent})${g.exits.yield(target)}', ''],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', FUEL, {
    'a call takes no fuel': ['if(--limits.fuel<0||d>limits.depth)', 'if(d>limits.depth)'],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', ['test/vm/jit/traps.unit.ts'], {
    'the JavaScript stack has no limit': ['if(--limits.fuel<0||d>limits.depth)', 'if(--limits.fuel<0)'],
  }),
  ...mutationsOf('vm/jit/analysis/loops.ts', FUEL, {
    'a loop with calls keeps the fuel': ['this.callFree.delete(region);', ';'],
  }),
  ...mutationsOf('vm/jit/analysis/fuel.ts', FUEL, {
    'fuel is not put back where a loop is left': ['return this.isLocal ? `limits.fuel=${this.left()};` : \'\';', "return '';"],
    'helpers do not find the fuel': ['return this.isLocal ? `{${this.leaving}q=-1;${code}${this.takenBack()}}` : `{${code}}`;', 'return `{${code}}`;'],
    'an error takes the fuel with it': ["'}catch(x){if(q>=0)limits.fuel=q;throw x;}'", "'}catch(x){throw x;}'"],
    'an error takes the fuel of a counted loop with it': ["=${left};throw x;}`", '=0;throw x;}`'],
    'a handler does not find the fuel': ["? '' : 'if(q<0)q=limits.fuel|0;'", "? '' : ''"],
    'a loop that suspends forgets its turns': ['weight: uniform.weight };', 'weight: 0 };'],
    'a turn costs nothing': ['return `z${uniform.register}<${this.spent(uniform, this.at)}`;', "return 'false';"],
    'turns are counted one too many': ['`(x${register}-1)`', '`x${register}`'],
  }),
  ...mutationsOf('vm/jit/runtime.ts', FUEL, {
    'a loop that suspends does not put its fuel back': ['if (fuel !== undefined) limits.fuel = fuel - exit.weight * turns;', ''],
  }),
  ...mutationsOf('vm/jit/compile.ts', FEEDBACK, {
    'V8 does not know how new code suspends': ['n < calls', 'n < 0'],
  }),
  ...mutationsOf('vm/jit/emit/natives.ts', FEEDBACK, {
    'a method that suspends is asked for a callee': ['if (own.length === 0) g.helper(instruction, others);', 'if (own.length >= 0) g.helper(instruction, chain(calls, otherwise));'],
  }),
  ...mutationsOf('vm/interpreter/suspension.ts', ['spec:language/control', 'spec:language/blocks'], {
    'a gathered vector keeps its room while its thread waits': ['return truncate(vector, taken - (form - FILLED));', 'return vector;'],
    'the last element gathered is lost while its thread waits': ['taken - (form - FILLED)', 'taken - 1'],
    'a Float is passed to the interpreter as an Integer': ['return new Float(values[at] as number);', 'return values[at] as number;'],
  }),
  ...mutationsOf('vm/jit/emit/operands.ts', ['spec:core/csv'], {
    'a parameter of type Vector takes anything': ['Vector: (x) => `Array.isArray(${x})`,', "Vector: () => 'true',"],
  }),
  ...mutationsOf('vm/jit/emit/operands.ts', TESTS, {
    'a parameter of type String takes anything': ["String: (x) => `typeof ${x}==='string'`,", "String: () => 'true',", 'argument'],
    'a parameter of type Integer takes anything': ["Integer: (x) => `(typeof ${x}==='number'||typeof ${x}==='bigint')`,", "Integer: () => 'true',", 'argument'],
    'a parameter of type Hash takes anything': ["  Hash: (x) => isInstance(x, 'Hash'),", "  Hash: () => 'true',", 'lists'],
  }),
  ...mutationsOf('vm/jit/emit/indexing.ts', ['test/vm/scheduler/turns.unit.ts'], {
    'characters do not find the fuel': ['${g.fuel.within(`${a}=characterAt(${v},${i});`)}', '${a}=characterAt(${v},${i});'],
  }),
  ...mutationsOf('vm/jit/emit/products.ts', ['test/vm/bytecode/hostile.unit.ts'], {
    'a constant may overwrite the product': [' && instruction.a !== kept', ''],
  }),
  ...mutationsOf('vm/jit/emit/products.ts', ['spec:language/numbers'], {
    'a product is reduced although its parts are used': ['if (between.some((r) => r !== result && g.isLiveAfter(length, r))) return false;', ''],
    'anything is multiplied as numbers': ['g.guard(all(areNumbers(g, b, c)));', ''],
  }),
  ...mutationsOf('vm/jit/emit/equality.ts', TESTS, {
    'equality is identity': ['g.out(then(`(${condition}?${truth}', 'g.out(then(`(true?${truth}', '== of'],
  }),
  ...mutationsOf('vm/jit/emit/equality.ts', ['spec:language/case'], {
    'nothing but the same object equals a literal': ["condition: `typeof ${x}!=='object'||${x}===null||${x} instanceof RecordValue&&${x}.type.comparesFields`", "condition: 'true'"],
  }),
  ...mutationsOf('vm/jit/emit/operands.ts', ['spec:language/case'], {
    'a record is of any type': ['`${x}.type===${g.value(type)}`', '`${x}.type!==undefined`'],
  }),
  ...mutationsOf('vm/jit/emit/kinds.ts', TESTS, {
    'nil has fields': ['&&${x}!==null&&', '&&', 'fields of'],
    'any object is an instance of a class': [" instanceof ${type}`", "!==null`", 'fields of'],
  }),
  ...mutationsOf('vm/jit/emit/equality.ts', ['spec:language/operators'], {
    'the `==` of a record is not asked about a literal': ['${x} instanceof RecordValue&&${x}.type.comparesFields`', '${x} instanceof RecordValue`'],
    'numbers in a range are not looked at': ["? { condition: `typeof ${x}==='number'`, truth", "? { condition: 'true', truth"],
    'ranges of literals are never exclusive': ["${exclusive ? '<' : '<='}", '<='],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', ['spec:language/operators'], {
    'a literal stays after its register is written': ['this.literals.forget(r);', ''],
    'literals are known where ways meet': ['instruction.info.op === Op.CATCH) { records.clear(); literals.clear(); }', 'instruction.info.op === Op.CATCH) { records.clear(); }'],
  }),
  ...mutationsOf('vm/jit/emit/natives.ts', ['spec:language/operators'], {
    'methods of records are called with any number of arguments': ['!method.fn.takes(args.length + 1)', 'args.length + 1 > method.fn.arity'],
  }),
  ...mutationsOf('vm/values/text/format.ts', ['spec:language/operators'], {
    'negative Integers are filled like others': ["typeof next === 'number' && next >= 0", "typeof next === 'number'"],
  }),
  ...mutationsOf('vm/values/regex/crude.ts', ['test/vm/values/regex/cost.unit.ts'], {
    'any repeated group matches in one way': ['return areDisjoint(firsts, flags);', 'return true;'],
    'a lookaround with a repetition costs nothing': ['repeats += 1 + choices.repeat(); }', 'repeats += 1; }'],
  }),
  ...mutationsOf('vm/jit/analysis/loops.ts', ['spec:language'], {
    'what disproved a loop is forgotten': ['if (this.isDisproved(region, a)) return null;', ''],
  }),
  ...mutationsOf('vm/jit/analysis/floatforms.ts', ['test/vm/jit/floats.unit.ts'], {
    'a register is believed to hold a Float at the end of a turn': ['text += unboxing(r, deopt(r))', 'text += `f${r}=r${r}.n;`'],
  }),
  ...mutationsOf('vm/jit/emit/scopewriter.ts', ['spec:errors/exit', 'spec:limits'], {
    'a rescue takes signals': ["'if(!(x instanceof SvcError||x instanceof Signal))throw x;' : 'if(!(x instanceof SvcError))throw x;'", "'if(!(x instanceof SvcError||x instanceof Signal))throw x;' : 'if(!(x instanceof SvcError||x instanceof Signal))throw x;'"],
  }),
  ...mutationsOf('vm/jit/emit/scopewriter.ts', ['test/vm/scheduler/signals.unit.ts'], {
    'an ensure takes no signals': ["? 'if(!(x instanceof SvcError||x instanceof Signal))throw x;'", "? 'if(!(x instanceof SvcError))throw x;'"],
  }),
  ...mutationsOf('vm/jit/emit/generator.ts', ['test/vm/jit/compile.unit.ts'], {
    'a twin calls what was compiled before': ['(this.twin = `(${entry}.jit===J?T:${entry}.jit)`)', "(this.twin = 'T')"],
  }),
];
