" Colours of templates: HTML with tags that hold Svc.
if exists('b:current_syntax')
  finish
endif

runtime! syntax/html.vim
unlet! b:current_syntax
syn include @svcProgram syntax/svc.vim
unlet! b:current_syntax

syn cluster svcTags contains=svcTag,svcTagComment,svcTagEscape
syn region svcTag matchgroup=svcDelimiter start=/<%\%(==\|=\|-%\@!\)\?/ end=/-\?%>/ contains=svcCommentOfTag,@svcProgram containedin=ALLBUT,@svcProgram,svcTag,svcTagComment keepend
syn match svcCommentOfTag /#.\{-}\ze-\?%>/ contained
syn region svcTagComment start=/<%\%(==\|[-=]\)\?\s*#/ end=/%>/ containedin=ALLBUT,@svcProgram,svcTag,svcTagComment
syn match svcTagEscape /<%%/ containedin=ALLBUT,@svcProgram,svcTag,svcTagComment

hi def link svcTagComment Comment
hi def link svcCommentOfTag Comment
hi def link svcTagEscape SpecialChar

let b:current_syntax = 'svctemplate'
