" Indentation of programs of Svc. It reads single lines: those around a line are read only as far as they hold the bracket or
" block in which the line stands.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=GetSvcIndent()
setlocal indentkeys=0{,0},0),0],!^F,o,O,e,=end,=else,=elsif,=when,=in,=rescue,=ensure,0.
setlocal autoindent nosmartindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< autoindent< smartindent<'

if exists('*GetSvcIndent')
  finish
endif
let s:cpo = &cpo
set cpo&vim

let s:TEXT = '^svc\%(String\|Heredoc\|HeredocOpener\|Regex\|RegexQuote\|Words\|Quote\)$'
let s:MAY_HOLD_TEXT = '["''#/%]\|<<'
" Parts of a line that matter: words, members and keys, brackets, other signs.
let s:PART = '::\@![[:alpha:]_]\w*\|\%(&\?\.\s*\)\?[[:alpha:]_\u80-\uffff][[:alnum:]_\u80-\uffff]*[?!]\?:\?\|[()\[\]{}]\|[-+*/%<>=&|^~!?:,;.]\+\|[^[:blank:]]'
let s:MIDDLE = '^\%(else\|elsif\|when\|in\|rescue\|ensure\)$'
let s:MODIFIER = '^\%(if\|unless\|while\|until\)$'
" Words before a value, after which `if` begins a block.
let s:BEFORE_VALUE = '^\%(and\|or\|not\|then\|do\|else\|in\|when\|ensure\|begin\)$'

" Lines with the same text have the same parts.
let s:read = {}

" Whether a line closes a heredoc.
function! s:IsCloser(lnum) abort
  let line = getline(a:lnum)
  return line =~# '^\s*\h\w*\s*$' && synIDattr(synID(a:lnum, match(line, '\S') + 1, 1), 'name') ==# 'svcQuote'
endfunction

" Whether a line begins within a text that an earlier line opened.
function! s:InText(lnum) abort
  if a:lnum < 2
    return 0
  endif
  let names = map(synstack(a:lnum, 1), 'synIDattr(v:val, "name")')
  if s:IsCloser(a:lnum)
    return 1
  endif
  if empty(filter(copy(names), 'v:val =~# "^svc\\%(String\\|Regex\\|Heredoc\\|Words\\)$"'))
    return 0
  endif
  " The first character belongs to a text: unless it opens one, an earlier line does.
  let end = max([1, col([a:lnum - 1, '$']) - 1])
  let before = map(synstack(a:lnum - 1, end), 'synIDattr(v:val, "name")')
  return !empty(filter(before, 'v:val =~# "^svc\\%(String\\|Regex\\|Heredoc\\|Words\\)$"')) || getline(a:lnum) !~# '^\s*\%(:\?"\|''\|/\|%w\|<<\)'
endfunction

" The text of a line with blanks in place of texts and comments; `"` stands for a text.
function! s:Code(lnum) abort
  let line = getline(a:lnum)
  if line !~# s:MAY_HOLD_TEXT
    return line
  endif
  let code = ''
  let wasText = 0
  for at in range(len(line))
    let name = ''
    let isText = 0
    let isComment = 0
    for id in synstack(a:lnum, at + 1)
      let name = synIDattr(id, 'name')
      let isComment = isComment || name ==# 'svcComment' || name ==# 'svcDocumentation'
      " The rest of the line of a heredoc's opener is code.
      let isText = name ==# 'svcHeredocLine' ? 0 : isText || name =~# s:TEXT
    endfor
    let code .= isComment ? ' ' : !isText ? line[at] : wasText ? ' ' : '"'
    let wasText = isText
  endfor
  return code
endfunction

" What a line opens and closes:
"   open   brackets and blocks that it leaves open, from the outermost: [ 'bracket', 'block' ]
"   close  how many it closes of earlier lines
"   first  its first word or sign
"   last   its last one
"   isClosed  whether it begins with what closes something
function! s:Read(lnum) abort
  let key = getline(a:lnum)
  if has_key(s:read, key)
    return s:read[key]
  endif
  if len(s:read) > 5000
    let s:read = {}
  endif
  let found = s:Parse(s:Code(a:lnum))
  let s:read[key] = found
  return found
endfunction

function! s:Parse(code) abort
  let parts = []
  call substitute(a:code, s:PART, '\=add(parts, submatch(0))[-1]', 'g')
  let open = []
  let close = 0
  let header = 0
  let before = ''
  let index = 0
  for part in parts
    let kind = s:Kind(parts, index, before)
    if kind ==# 'do' && header
      let header = 0
    elseif kind ==# 'do' || kind ==# 'block' || kind ==# 'loop'
      call add(open, 'block')
      let header = kind ==# 'loop'
    elseif part =~# '^[(\[{]$'
      call add(open, 'bracket')
    elseif part =~# '^[)\]}]$' || kind ==# 'end'
      if empty(open)
        let close += 1
      else
        call remove(open, -1)
      endif
    elseif kind ==# 'middle' && index == 0
      let close += 1
      call add(open, 'block')
    endif
    let before = part
    let index += 1
  endfor
  let first = get(parts, 0, '')
  return {'open': open, 'close': close, 'first': first, 'last': before,
        \ 'isClosed': first =~# '^[)\]}]$' || s:Kind(parts, 0, '') =~# '^\%(end\|middle\)$'}
endfunction

" What a part is: `block` and `loop` open a block, `do` one unless it ends the header of a loop.
function! s:Kind(parts, index, before) abort
  let part = a:parts[a:index]
  if part =~# '[.:]' || a:before ==# 'def'
    return ''
  elseif part =~# '^\%(case\|begin\|do\|end\)$'
    return part =~# 'do\|end' ? part : 'block'
  elseif part ==# 'for'
    return 'loop'
  elseif part ==# 'def'
    return s:IsOneLine(a:parts[a:index + 1 :]) ? '' : 'block'
  elseif part ==# 'interface' && a:index == 0
    return 'block'
  elseif part =~# s:MODIFIER
    if a:before !=# '' && a:before !~# '[^[:alnum:]_"'')\]}?!]$\|^[=|]$' && a:before !~# s:BEFORE_VALUE
          \ && index(a:parts, 'then', a:index) < 0
      return ''
    endif
    return part =~# '^[wu][hn]\?[it][li]' && part !=# 'unless' ? 'loop' : 'block'
  elseif part =~# s:MIDDLE
    return 'middle'
  endif
  return ''
endfunction

" Whether `def` is followed by a body after `=`.
function! s:IsOneLine(parts) abort
  let depth = 0
  for part in a:parts[1 :]
    if part =~# '^[(\[{]$'
      let depth += 1
    elseif part =~# '^[)\]}]$'
      let depth -= 1
    elseif depth == 0 && part ==# '='
      return 1
    elseif depth == 0 && part !~# '^\%(->\|[A-Z].*\|[<>|?]\+\|nil\)$'
      return 0
    endif
  endfor
  return 0
endfunction

" The line of code before a line; 0 if there is none.
function! s:Before(lnum) abort
  let lnum = prevnonblank(a:lnum - 1)
  while lnum > 0 && (getline(lnum) =~# '^\s*#' || s:InText(lnum))
    let lnum = prevnonblank(lnum - 1)
  endwhile
  return lnum
endfunction

" The line that holds the innermost bracket or block that is open before a line, after `skip` others; [0, ''] if there is none.
function! s:Enclosing(lnum, skip) abort
  let depth = a:skip
  let lnum = s:Before(a:lnum)
  while lnum > 0
    let line = s:Read(lnum)
    let opened = len(line.open)
    if opened > depth
      return [lnum, line.open[opened - depth - 1]]
    endif
    let depth += line.close - opened
    let lnum = s:Before(lnum)
  endwhile
  return [0, '']
endfunction

" Whether a line goes on with the statement of the line before it.
function! s:Continues(lnum) abort
  if getline(a:lnum) =~# '^\s*\%(\.\.\@!\|&\.\||>\)'
    return 1
  endif
  let before = s:Before(a:lnum)
  if before == 0
    return 0
  endif
  let line = s:Read(before)
  if line.last =~# '^\%(,\|[-+*/%<>=&|^~?:!]\+\)$' && line.last !=# '->' && !s:EndsParameters(before)
    return s:Enclosing(a:lnum, 0)[1] !=# 'bracket' || line.last !=# ','
  endif
  return line.last =~# '^\%(and\|or\|not\)$' || getline(before) =~# '\\$'
endfunction

" Whether a line ends with the parameters of a block.
function! s:EndsParameters(lnum) abort
  return getline(a:lnum) =~# '\%(\<do\|{\)\s*|[^|]*|\s*\%(#.*\)\?$'
endfunction

" The line with which the statement of a line begins.
function! s:Start(lnum) abort
  let lnum = a:lnum
  while lnum > 0
    let line = s:Read(lnum)
    if line.close > 0
      let opener = s:Enclosing(lnum, line.close - 1)[0]
      if opener == 0
        return lnum
      endif
      let lnum = opener
    elseif s:Continues(lnum)
      let lnum = s:Before(lnum)
    else
      return lnum
    endif
  endwhile
  return a:lnum
endfunction

" The line from which the body of what a line opens is indented.
function! s:Opening(lnum) abort
  let line = s:Read(a:lnum)
  if line.close > 0 && !line.isClosed
    let opener = s:Enclosing(a:lnum, line.close - 1)[0]
    return opener > 0 ? s:Opening(opener) : a:lnum
  endif
  return a:lnum
endfunction

function! GetSvcIndent() abort
  let lnum = v:lnum
  if s:InText(lnum)
    return -1
  endif
  let before = s:Before(lnum)
  if before == 0
    return 0
  endif
  let line = s:Read(lnum)
  if line.isClosed
    let [opener, _] = s:Enclosing(lnum, 0)
    return opener > 0 ? indent(s:Opening(opener)) : 0
  endif
  let previous = s:Read(before)
  let step = shiftwidth()
  if !empty(previous.open)
    return indent(s:Opening(before)) + step
  endif
  if getline(lnum) =~# '^\s*\%(\.\.\@!\|&\.\||>\)'
    let first = previous.close > 0 ? s:Enclosing(before, previous.close - 1)[0] : before
    let isLink = getline(first) =~# '^\s*\%(\.\.\@!\|&\.\||>\)'
    return indent(first) + (isLink ? 0 : step)
  endif
  if s:Continues(lnum)
    return s:Continues(before) ? indent(before) : indent(before) + step
  endif
  return indent(s:Start(before))
endfunction

let &cpo = s:cpo
unlet s:cpo
