/** The diagnostics of the parser: stable code and meaning. */
export const CODES = {
  'file-too-large': 'The source text is longer than the compiler accepts.',
  'invalid-text': 'The text holds something that is not valid UTF-8.',
  'nul-character': 'The text holds a NUL.',
  'bidi-control': 'The text holds an invisible character that changes the text direction and can hide code.',
  'lone-carriage-return': 'A line ends with a carriage return alone.',
  'unknown-character': 'A character that means nothing in Svc.',
  'bad-number': 'A number is not written as Svc writes numbers.',
  'bad-regex-flag': 'A regex literal ends with a letter that is not one of its flags.',
  'unterminated-string': 'A string has no closing quote.',
  'unterminated-interpolation': 'An interpolation has no closing brace.',
  'unterminated-regex': 'A regex literal has no closing slash on its line.',
  'unterminated-heredoc': 'A heredoc has no closing line.',
  'unterminated-words': 'A `%w` list has no closing bracket.',
  'unclosed-block': 'A block has no `end`.',
  'unclosed-bracket': 'A bracket is not closed, or closed by another kind.',
  'stray-closer': 'A closing bracket closes nothing.',
  'stray-end': 'An `end` closes nothing.',
  'stray-keyword': 'A keyword such as `else` stands outside the block that it belongs to.',
  'else-if': 'An `else if` where `elsif` is meant.',
  'nesting-too-deep': 'Brackets, blocks or operators are nested too deeply.',
  'statement-too-long': 'One statement has more words than the compiler accepts.',
  'no-operator': 'An operator of other languages that has no meaning in Svc.',
  pattern: 'A pattern after `in` holds something that describes no value.',
  'pattern-alternative': 'A variable stands inside an alternative of a pattern.',
  'foreign-form': 'A word or form of another language that Svc writes differently.',
  'record-body': 'The body of a record holds something other than methods.',
  'no-classes': 'A `class` or `module`, which Svc does not have.',
  'block-pass': 'A `&` before an argument or a parameter.',
  'block-options': 'A block has a `**` parameter.',
  'reserved-word': 'A reserved word stands where a name is needed.',
  'python-colon': 'A `:` after a header, as in Python.',
  'assignment-in-condition': 'An `=` where a condition is expected.',
  'invalid-target': 'The left side of an assignment cannot be assigned to.',
  'block-without-call': 'A block follows something that is not a call.',
  'module-name': 'A module is not named by a plain string.',
  'call-needs-parentheses': 'An argument follows a name inside an expression.',
  'internal-error': 'The compiler failed; a mistake of its own.',
  'syntax-error': 'Something else was expected at this place.',
} as const;

/** The findings of `svcc check` in programs that compile: stable code and meaning. */
export const CHECKS = {
  'unknown-name': 'Nothing declares this name.',
  'constant-reassigned': 'A constant is assigned again; it keeps its first value.',
  'wrong-arguments': 'A call has too few, too many or unknown arguments.',
  'wrong-type': 'A value does not fit an annotation or what a library function takes.',
  'unknown-type': 'An annotation names an unknown type.',
  'unused-variable': 'A local variable is assigned but never read.',
  unreachable: 'A statement is never reached.',
  'missing-variant': 'A `case` names some members of an enum and not the others, and has no `else`.',
  'unreachable-clause': 'A clause of a `case` comes after others that fit all its values.',
  'handler-without-value': 'The handler of a route returns a value on some paths and none on others.',
} as const;

/** The code of a parser diagnostic. */
export type Code = keyof typeof CODES;
export type CheckCode = keyof typeof CHECKS;
