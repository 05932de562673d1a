" Settings for programs of Svc.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:##,:# commentstring=#\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal suffixesadd=.svc
setlocal include=^\\s*\\%(require\\\|import\\\|use\\\|stitch\\)\\s\\+[\"']
setlocal define=^\\s*\\%(private\\s\\+\\)\\?\\%(def\\\|record\\\|enum\\\|interface\\\|error\\\|const\\)\\>
setlocal iskeyword=@,48-57,_,192-255

" The words that % moves between, with the plugin matchit.
if !exists('b:match_words')
  let b:match_ignorecase = 0
  let b:match_words = '\.\@1<!\<\%(def\|if\|unless\|while\|until\|for\|case\|begin\|interface\|do\)\>:\?\@!'
        \ . ':\.\@1<!\<\%(else\|elsif\|when\|in\|rescue\|ensure\|break\|next\)\>:\?\@!'
        \ . ':\.\@1<!\<end\>:\?\@!'
  let b:match_skip = 'synIDattr(synID(line("."), col("."), 0), "name") =~# "String\\|Comment\\|Regex\\|Heredoc"'
endif

compiler svcc

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< expandtab< shiftwidth< softtabstop< suffixesadd<'
      \ . ' include< define< iskeyword< makeprg< errorformat<'
      \ . ' | unlet! b:match_words b:match_skip b:match_ignorecase'
