" :make checks the program of the buffer by `svcc check`.
if exists('current_compiler')
  finish
endif
let current_compiler = 'svcc'

if exists(':CompilerSet') != 2
  command -nargs=* CompilerSet setlocal <args>
endif
CompilerSet makeprg=svcc\ check\ %:S
CompilerSet errorformat=%E%f:%l:%c:\ error:\ %m,%W%f:%l:%c:\ warning:\ %m,%C\ \ \ hint:\ %m,%-G%.%#
