" Programs of Svc, and templates if g:svc_templates is 1: Vim takes files that end in .erb for Ruby's.
autocmd BufNewFile,BufRead *.svc setfiletype svc
autocmd BufNewFile,BufRead *.html.erb if get(g:, 'svc_templates', 0) | set filetype=svctemplate | endif
autocmd BufNewFile,BufRead * if getline(1) =~# '^#!.*\<svcc\>' | setfiletype svc | endif
