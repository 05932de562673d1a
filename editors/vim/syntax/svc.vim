" Colours of programs of Svc.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim

syn case match

" What is defined later wins at the same place: names come first.
syn match svcType /\<\u\w*\>/
syn match svcConstant /\<\u[[:upper:][:digit:]_]\+\>(\@!/
syn match svcFunction /\<[[:alpha:]_]\w*[?!]\?(\@=/
syn match svcNumber /\<\%(0[xXbBoO]\w*\|\d[0-9_]*\%(\.\d[0-9_]*\)\?\%([eE][-+]\?\d[0-9_]*\)\?\w*\)/
syn match svcOperator /[-+*/%<>=&|^~!?:]/
syn match svcSymbol /[[:alnum:]_:)\]}"']\@1<!:[[:alpha:]_\u80-\uffff][[:alnum:]_\u80-\uffff]*\%([?!]=\@!\)\?/
syn match svcKey /\%(? \)\@2<!\<[[:alpha:]_\u80-\uffff][[:alnum:]_\u80-\uffff]*[?!]\?::\@!/ contains=svcKeyColon
syn match svcKeyColon /:/ contained

" Keywords; words with a meaning of their own only where a name follows.
syn match svcConditional /\<\%(if\|unless\|elsif\|else\|case\|when\|then\)\>[?!:]\@!/
syn match svcRepeat /\<\%(while\|until\|for\|in\|do\|loop\%(\s\+:\w\+\s\+do\>\)\@=\)\>[?!:]\@!/
syn match svcException /\<\%(begin\|rescue\|ensure\|raise\|retry\)\>[?!:]\@!/
syn match svcStatement /\<\%(return\|break\|next\|end\)\>[?!:]\@!/
syn match svcWordOperator /\<\%(and\|or\|not\)\>[?!:]\@!/
syn match svcWordOperator /\<is\%(\s\+\%([a-z_]\w*\.\)*\u\)\@=/
syn match svcWordOperator /\<await\%(\s\+[[:alnum:]_"'([{:]\|\s\+->\)\@=\%(\s\+\%(and\|or\|if\|unless\|while\|until\|do\|end\|then\|in\)\>\)\@!/
syn match svcBoolean /\<\%(true\|false\)\>[?!:]\@!/
syn match svcNil /\<nil\>[?!:]\@!/
syn match svcSelf /\<\%(self\|it\|_1\|_2\)\>\%(\s*=[=~>]\@!\)\@![?!:]\@!/
syn match svcInclude /\<\%(require\|import\|use\|stitch\)\%(\s\+["']\)\@=/
syn match svcInclude /["']\@1<=\s\+\zsas\%(\s\+\w\+\s*\%([;#]\|$\)\)\@=/
syn match svcInclude /\<export\%(\s\+\h\w*\s*\%([,;#]\|$\)\)\@=/
syn match svcDeclaration /\<const\%(\s\+\h\)\@=/
syn match svcDeclaration /\<\%(private\s\+\)\?def\>[?!:]\@!/ nextgroup=svcDefined skipwhite
syn match svcDeclaration /\<\%(record\|enum\)\%(\s\+\w\+\s*(\)\@=/ nextgroup=svcDefined skipwhite
syn match svcDeclaration /\<interface\%(\s\+\u\w*\s*\%([;#]\|$\)\)\@=/ nextgroup=svcDefined skipwhite
syn match svcDeclaration /\<error\%(\s\+\u\w*\s*\%([<;#]\|$\)\)\@=/ nextgroup=svcDefined skipwhite
syn match svcNeeds /^\s*\zsneeds\%(\s\+\h\)\@=/
syn match svcDefined /\%([[:alpha:]_\u80-\uffff][[:alnum:]_\u80-\uffff]*[?!]\?\|\*\*\|\/\/\|<=>\|[=<>]=\|<<\|>>\|\[\]=\?\|-@\|[-+*/%<>&|^~]\)/ contained
syn match svcCommon /\<\%(puts\|print\|p\|pp\|warn\|format\|sleep\|spawn\|timeout\|exit\)\>\%(\s*=[=~>]\@!\)\@![?!:]\@!/

" Fields of records may be keywords, and so may members.
syn region svcFields matchgroup=svcBracket start=/\%(\<record\s\+\w\+\s*\)\@<=(/ end=/)/ contains=svcField,svcParentheses,@svcCode
syn match svcField /\%([(,]\s*\|^\s*\)\@<=\l\w*[?!]\?\ze\s*\%([,:=)]\|$\)/ contained
syn region svcParentheses matchgroup=svcBracket start=/(/ end=/)/ contained transparent contains=svcParentheses,@svcCode
syn match svcMember /\%(\.\@1<!\|&\)\.\.\@!\s*[[:alpha:]_\u80-\uffff][[:alnum:]_\u80-\uffff]*[?!]\?/ contains=svcType

" Texts.
syn cluster svcInside contains=svcEscape,svcInterpolation
syn match svcEscape /\\\%(u{\x\{1,6}}\|u\x\{4}\|x\x\x\|[ntr0e\\"'#]\|$\)/ contained
syn match svcBackslash /\\./ contained transparent contains=svcEscape
syn region svcInterpolation matchgroup=svcDelimiter start=/#{/ end=/}/ contained contains=svcBraces,@svcCode
syn region svcBraces matchgroup=svcBracket start=/{/ end=/}/ contained transparent contains=svcBraces,@svcCode
syn region svcString matchgroup=svcQuote start=/:\?"/ end=/"/ contains=@svcInside,svcBackslash,@Spell
syn region svcString matchgroup=svcQuote start=/'/ end=/'/ skip=/\\./ contains=@Spell
syn region svcString matchgroup=svcQuote start=/"""/ end=/"""/ contains=@svcInside,svcBackslash,@Spell
syn region svcString matchgroup=svcQuote start=/'''/ end=/'''/ skip=/\\./ contains=@Spell
syn match svcHtml /\<html"\@=/
syn region svcWords matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!%w\[/ end=/\]/
syn region svcWords matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!%w(/ end=/)/
syn region svcWords matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!%w{/ end=/}/

" A slash opens a regex where a value may begin; on its line, unless nothing follows.
syn region svcRegex matchgroup=svcRegexQuote start=/\%(\%(^\|[=(,\[{|&!~?:;<>+*%-]\|\<\%(if\|unless\|elsif\|while\|until\|when\|in\|and\|or\|not\|then\|do\|else\|return\|break\|next\|raise\)\)\s*\)\@20<=\/\%(.*\/\)\@=/ skip=/\\./ end=/\/[imsx]*/ oneline contains=svcRegexClass,svcRegexEscape,svcInterpolation
syn region svcRegex matchgroup=svcRegexQuote start=/\%(\w[?!]\?\s\+\)\@20<=\/\%([^ =/][^/]*\/\)\@=/ skip=/\\./ end=/\/[imsx]*/ oneline contains=svcRegexClass,svcRegexEscape,svcInterpolation
syn region svcRegex matchgroup=svcRegexQuote start=/\%(\%(^\|[=(,\[{|&!~]\|\<\%(if\|unless\|elsif\|when\|in\|and\|or\|not\|return\)\)\s*\)\@20<=\/\%(\s*$\|\s\+#\)\@=/ skip=/\\./ end=/\/[imsx]*/ contains=svcRegexClass,svcRegexEscape,svcRegexComment,svcInterpolation
syn region svcRegex matchgroup=svcRegexQuote start=/\%(=\~\s*\)\@20<=\/\%([^/]*\s#\%([^/]*$\)\)\@=/ skip=/\\./ end=/\/[imsx]*/ contains=svcRegexClass,svcRegexEscape,svcRegexComment,svcInterpolation
syn match svcRegexClass /\[\%([^\]\\#]\|\\.\|#{\@!\)*\]/ contained
syn match svcRegexEscape /\\./ contained
syn match svcRegexComment /#{\@!\%(\%(#{\)\@!.\)*/ contained

" The rest of the line of a heredoc's opener is code; of two on a line, the text ends with the second.
syn region svcHeredoc matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!<<\z(\h\w*\)/ start=/[[:alnum:]_)\]}"']\@1<!<<"\z(\h\w*\)"/ end=/^\z1\s*$/ contains=svcHeredocLine,@svcInside,svcBackslash,@Spell
syn region svcHeredoc matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!<<[~-]\z(\h\w*\)/ start=/[[:alnum:]_)\]}"']\@1<!<<[~-]"\z(\h\w*\)"/ end=/^\s*\z1\s*$/ contains=svcHeredocLine,@svcInside,svcBackslash,@Spell
syn region svcHeredoc matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!<<[~-]'\z(\h\w*\)'/ end=/^\s*\z1\s*$/ contains=svcHeredocLine,@Spell
syn region svcHeredoc matchgroup=svcQuote start=/[[:alnum:]_)\]}"']\@1<!<<[~-]["']\?\h\w*["']\?\%(\%([^"'#]\|"[^"]*"\|'[^']*'\)*<<[~-]["']\?\z(\h\w*\)\)\@=/ end=/^\s*\z1\s*$/ contains=svcHeredocLine,@svcInside,svcBackslash,@Spell
syn region svcHeredocLine start=/\%(<<[~-]\?["']\?\h\w*["']\?\)\@60<=./ end=/$/ oneline contained transparent contains=svcHeredocOpener,@svcCodeOfLine
syn match svcHeredocOpener /<<[~-]["']\?\h\w*["']\?/ contained

syn match svcComment /#.*/ contains=svcTodo,@Spell
syn match svcDocumentation /###\@!.*/ contains=svcTodo,@Spell
syn keyword svcTodo TODO FIXME NOTE XXX contained

syn cluster svcCodeOfLine contains=svcType,svcConstant,svcFunction,svcNumber,svcOperator,svcSymbol,svcKey,svcConditional,svcRepeat,svcException,svcStatement,svcWordOperator,svcBoolean,svcNil,svcSelf,svcInclude,svcDeclaration,svcNeeds,svcCommon,svcFields,svcMember,svcString,svcHtml,svcWords,svcRegex,svcComment,svcDocumentation
syn cluster svcCode contains=@svcCodeOfLine,svcHeredoc

syn sync minlines=200 maxlines=1000

hi def link svcType Type
hi def link svcConstant Constant
hi def link svcFunction Function
hi def link svcCommon Function
hi def link svcNumber Number
hi def link svcOperator Operator
hi def link svcSymbol Constant
hi def link svcKey Label
hi def link svcConditional Conditional
hi def link svcRepeat Repeat
hi def link svcException Exception
hi def link svcStatement Statement
hi def link svcWordOperator Keyword
hi def link svcBoolean Boolean
hi def link svcNil Constant
hi def link svcSelf Identifier
hi def link svcInclude Include
hi def link svcDeclaration Keyword
hi def link svcNeeds Keyword
hi def link svcDefined Function
hi def link svcField Identifier
hi def link svcEscape SpecialChar
hi def link svcDelimiter Delimiter
hi def link svcString String
hi def link svcQuote String
hi def link svcRegexQuote String
hi def link svcHtml Special
hi def link svcWords String
hi def link svcRegex String
hi def link svcRegexClass String
hi def link svcRegexEscape SpecialChar
hi def link svcRegexComment Comment
hi def link svcHeredoc String
hi def link svcHeredocOpener String
hi def link svcComment Comment
hi def link svcDocumentation SpecialComment
hi def link svcTodo Todo

let b:current_syntax = 'svc'
let &cpo = s:cpo
unlet s:cpo
