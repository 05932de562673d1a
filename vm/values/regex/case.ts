/** Characters by what they are compared as without regard to case (ECMA-262, 22.2.2.7.3 Canonicalize, without flag u). */
let groups: Map<number, number[]> | null = null;

function canonical(code: number): number {
  const upper = String.fromCharCode(code).toUpperCase();
  if (upper.length !== 1) return code;
  const to = upper.charCodeAt(0);
  return code >= 128 && to < 128 ? code : to;
}

/** Of the characters beyond ASCII those that have another case, with all their forms. */
function otherGroups(): Map<number, number[]> {
  if (groups !== null) return groups;
  const byCanonical = new Map<number, number[]>();
  for (let code = 128; code <= 0xffff; code++) {
    const to = canonical(code);
    const group = byCanonical.get(to);
    if (group === undefined) byCanonical.set(to, [code]);
    else group.push(code);
  }
  groups = new Map();
  for (const group of byCanonical.values()) if (group.length > 1) for (const code of group) groups.set(code, group);
  return groups;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** All forms of a character, itself included. */
function forms(code: number): readonly number[] {
  if (code < 128) return isLetter(code) ? [code & ~32, code | 32] : [code];
  return otherGroups().get(code) ?? [code];
}

function hex(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A range in a class, with the other forms of its characters. */
function rangeForms(from: number, to: number): string {
  let out = from === to ? hex(from) : `${hex(from)}-${hex(to)}`;
  const add = (code: number): void => {
    for (const form of forms(code)) if (form < from || form > to) out += hex(form);
  };
  for (let code = from; code <= Math.min(to, 127); code++) add(code);
  if (to > 127) for (const code of otherGroups().keys()) if (code >= from && code <= to) add(code);
  return out;
}

const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

/** The one character that a part of an expression stands for, or null: for several, for a place, or in a way that is left alone. */
function single(part: string): number | null {
  if (part[0] !== '\\' || part.length === 1) return part.length === 1 ? part.charCodeAt(0) : null;
  if (/^\\[xu][0-9a-fA-F]/.test(part)) return parseInt(part.slice(2), 16);
  if (part.length > 2) return null;
  const name = part[1];
  return CONTROLS[name] ?? (/[\w]/.test(name) ? null : name.charCodeAt(0));
}

const CLASS_PART = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|[\s\S])|[\s\S]/g;

function classForms(text: string): string {
  const start = text[1] === '^' ? 2 : 1;
  const parts = text.slice(start, -1).match(CLASS_PART) ?? [];
  let out = text.slice(0, start);
  for (let i = 0; i < parts.length; i++) {
    const from = single(parts[i]);
    const to = parts[i + 1] === '-' && i + 2 < parts.length ? single(parts[i + 2]) : null;
    if (from === null) out += parts[i];
    else if (to === null) out += rangeForms(from, from);
    else {
      out += rangeForms(from, to);
      i += 2;
    }
  }
  return `${out}]`;
}

const PART = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|k<[^>]*>|[\s\S])|\(\?<[A-Za-z_$][^>]*>|\[(?:\\[\s\S]|[^\]\\])*\]|[\s\S]/g;

/**
 * An expression that matches with the flag i what this one matches without it: each character becomes a class of its forms. V8's linear engine does
 * not know the flag. Escapes that stand for one character but are unusual (`\cA`, `\12`) stay as they are: they have no case.
 */
export function withoutCase(source: string): string {
  return source.replace(PART, (part) => {
    if (part[0] === '[' && part.length > 1) return classForms(part);
    const code = single(part);
    if (code === null) return part;
    const all = forms(code);
    return all.length === 1 ? part : `[${all.map(hex).join('')}]`;
  });
}
