# The grammar of Svc. The layout pass has settled everything that depends on context, so that these rules are LALR(1)
# without conflicts (tools/check-grammar.ts), and hence unambiguous.
#   - Only %TYPE tokens; only left recursion, which alone is linear in an Earley parser.
#   - Every statement is followed by exactly one SEP, every header by exactly one THEN: no optional newlines.
#   - In the postprocessors $0 is the first child; functions are those of compiler/build/.
#   - Operators are one flat list; compiler/build/operators.ts settles their precedence.

top -> stmt %SEP {% $0 %}

body -> null {% null %}
      | body stmt %SEP {% append($0, $1) %}

# A call or jump without parentheses has an ARGS between its last word and the arguments: `puts x`, `a and b.c "d"`.
stmt -> flat {% resolve($0) %}
      | flat %ARGS cargs {% command($0, $2) %}
      | stmt %MOD cond {% modifier($0, $1, $2) %}
      | stmt %RESCUE_MOD expr {% rescueModifier($0, $1, $2) %}
      | %VALUES postfix %ASGN args {% valuesAssign($1, $3) %}
      | %MULTI mlhs %ASGN args {% multiAssign($1, $3) %}
      | %LDESTR dentries %RBRACE %ASGN expr {% destructure($0, $1, $4) %}
      | %DEF %IDENT %THEN rbody %END {% def($0, $1, $2, $3, $4) %}
      | %DEF %IDENT params %THEN rbody %END {% defParams($0, $1, $2, $3, $4, $5) %}
      | %DO_LOOP body %DO_WHILE expr {% doWhile($0, $1, $2, $3) %}
      | %RECORD %IDENT params {% record($0, $1, $2) %}
      | %RECORD %IDENT params %DO_BLOCK body %END {% recordWithMethods($0, $1, $2, $4, $5) %}
      | %RECORD %IDENT params %IS types {% recordOf($0, $1, $2, $4) %}
      | %RECORD %IDENT params %IS types %DO_BLOCK body %END {% recordOfWithMethods($0, $1, $2, $4, $6, $7) %}
      | %INTERFACE %IDENT %THEN body %END {% interfaceDecl($0, $1, $3, $4) %}
      | %ENUM %IDENT %LPARAM variants %RPAREN {% enumeration($0, $1, $3, $4) %}
      | %ERRDECL %IDENT {% errorDecl($0, $1) %}
      | %ERRDECL %IDENT %LT rtype {% errorDecl($0, $1, $3) %}
      | %CONST %IDENT %ASGN expr {% constant($0, $1, $3) %}
      | %EXPORT names {% exportNames($0, $1) %}
      | %USE %LIT {% useModule($0, $1) %}
      | %USE %LIT %AS %IDENT {% useModule($0, $1, $3) %}
      | %ERROR {% errorStatement($0) %}

cargs -> args {% commandArgs($0) %}
       | args %DO_CMD rbody %END {% commandBlock($0, $1, $2, $3) %}
       | args %DO_CMD bparams rbody %END {% commandBlockParams($0, $1, $2, $3, $4) %}

# A statement with several targets starts with MULTI.
mlhs -> mitem %COMMA mitem {% two($0, $2) %}
      | mlhs %COMMA mitem {% append($0, $2) %}
mitem -> postfix {% targetItem($0) %}
       | %SPLAT postfix {% splatTarget($0, $1) %}
       | %SPLAT {% splatTarget($0) %}
       | %LPAREN mlhs %RPAREN {% groupTarget($0, $1, $2) %}

dentries -> dentry {% one($0) %}
          | dentries %COMMA dentry {% append($0, $2) %}
dentry -> %IDENT {% destructureName($0) %}
        | %LABEL {% destructureName($0) %}
        | %LABEL %IDENT {% destructureRenamed($0, $1) %}

variants -> variant {% one($0) %}
          | variants %COMMA variant {% append($0, $2) %}
variant -> %IDENT {% plainVariant($0) %}
         | %IDENT params {% variantWithFields($0, $1) %}

# ---- expressions
expr -> flat {% resolve($0) %}
cond -> flat {% condition($0) %}
test -> flat {% loopCondition($0) %}

# Assignments are operators here as well.
flat -> postfix {% one($0) %}
      | prefixes postfix {% one(prefixed($0, $1)) %}
      | flat infix operand {% operation($0, $1, $2) %}
infix -> %BINOP {% infix($0) %}
       | %ASGN {% infix($0) %}
       | %OPASGN {% infix($0) %}
       | %QMARK expr %COLON {% ternary($1) %}
operand -> postfix {% $0 %}
         | prefixes postfix {% prefixed($0, $1) %}
prefixes -> %PREFIX {% one($0) %}
          | prefixes %PREFIX {% append($0, $1) %}

# What may follow a value is one rule apart: each value would otherwise start an item for every kind.
postfix -> %LIT {% literal($0) %}
         | %IDENT {% ident($0) %}
         | postfix trailer {% apply($0, $1) %}
         | %STR_BEG parts %STR_END {% interpolated($0, $1, $2) %}
         | %LPAREN stmt %RPAREN {% $1 %}
         | %LBRACK %RBRACK {% emptyVector($0, $1) %}
         | %LBRACK args %RBRACK {% vector($0, $1, $2) %}
         | %LBRACE %RBRACE {% emptyHash($0, $1) %}
         | %LBRACE pairs %RBRACE {% hash($0, $1, $2) %}
         | %LAMBDA block {% lambda($0, $1) %}
         | %LAMBDA params block {% lambdaParams($0, $1, $2) %}
         | %IF cond %THEN body elsifs orelse %END {% ifElse($0, $1, $3, $4, $5, $6) %}
         | %UNLESS cond %THEN body orelse %END {% unless($0, $1, $3, $4, $5) %}
         | %CASE %THEN whens orelse %END {% caseBare($0, $2, $3, $4) %}
         | %CASE expr %THEN whens orelse %END {% caseOf($0, $1, $3, $4, $5) %}
         | %CASE expr %THEN ins orelse %END {% caseIn($0, $1, $3, $4, $5) %}
         | %BEGIN rbody %END {% begin($0, $1, $2) %}
         | %WHILE test %THEN body %END {% whileLoop($0, $1, $3, $4) %}
         | %FOR patterns %IN expr %THEN body %END {% forLoop($0, $1, $3, $5, $6) %}
         | %LOOP %THEN body %END {% loop($0, $2, $3) %}
trailer -> %DOT %IDENT {% memberOf($0, $1) %}
         | %DOT callargs {% callOfValue($0, $1) %}
         | callargs {% callWith($0) %}
         | %LINDEX args %RBRACK {% indexBy($1, $2) %}
         | block {% withBlock($0) %}
callargs -> %LCALL %RPAREN {% noArgs($1) %}
          | %LCALL args %RPAREN {% callArgs($1, $2) %}

args -> arg {% one($0) %}
      | args %COMMA arg {% append($0, $2) %}
arg -> flat {% resolve($0) %}
     | %LABEL {% namedShort($0) %}
     | %LABEL expr {% named($0, $1) %}
     | %SPLAT expr {% splat($0, $1) %}

pairs -> pair {% one($0) %}
       | pairs %COMMA pair {% append($0, $2) %}
pair -> %IDENT {% pairShort($0) %}
      | %LABEL {% pairShort($0) %}
      | %LABEL expr {% pairLabel($0, $1) %}
      | %TLABEL {% pairType($0) %}
      | %TLABEL %ASGN expr {% pairType($0, $2) %}
      | expr %COLON expr {% pairColon($0, $2) %}
      | expr %FATARROW expr {% pairArrow($0, $2) %}
      | %SPLAT expr {% splat($0, $1) %}

parts -> null {% null %}
       | parts %TEXT {% append($0, $1) %}
       | parts %IBEG stmt %IEND {% append($0, $2) %}
       | parts %IBEG %IEND {% $0 %}

# ---- blocks and parameters
block -> %DO_BLOCK rbody %END {% block($0, $1, $2) %}
       | %DO_BLOCK bparams rbody %END {% blockParams($0, $1, $2, $3) %}
       | %LBLOCK body %RBRACE {% brace($0, $1, $2) %}
       | %LBLOCK bparams body %RBRACE {% braceParams($0, $1, $2, $3) %}
bparams -> %PIPE %PIPE {% null %}
         | %PIPE plist %PIPE {% $1 %}

params -> %LPARAM %RPAREN {% noParams() %}
        | %LPARAM plist %RPAREN {% paramList($1) %}
plist -> param {% one($0) %}
       | plist %COMMA param {% append($0, $2) %}
param -> %IDENT {% plainParam($0) %}
       | %IDENT %ASGN expr {% defaultParam($0, $2) %}
       | %LABEL {% namedParam($0) %}
       | %LABEL expr {% namedParamDefault($0, $1) %}
       | %TLABEL {% plainParam($0) %}
       | %TLABEL %ASGN expr {% defaultParam($0, $2) %}
       | %SPLAT %IDENT {% restParam($0, $1) %}
       | %LPAREN patterns %RPAREN {% groupParam($0, $1, $2) %}

patterns -> pattern {% one($0) %}
          | patterns %COMMA pattern {% append($0, $2) %}
pattern -> %IDENT {% namePattern($0) %}
         | %SPLAT %IDENT {% restPattern($0, $1) %}
         | %SPLAT {% restPattern($0) %}
         | %LPAREN patterns %RPAREN {% groupPattern($0, $1, $2) %}

# ---- parts of blocks
elsifs -> null {% null %}
        | elsifs %ELSIF cond %THEN body {% elsif($0, $2, $4) %}
orelse -> null {% null %}
        | %ELSE body {% elseBody($1) %}

whens -> when {% one($0) %}
       | whens when {% append($0, $1) %}
when -> %WHEN args %THEN body {% when($0, $1, $2, $3) %}
ins -> in {% one($0) %}
     | ins in {% append($0, $1) %}
in -> %IN_CASE args %THEN body {% inClause($0, $1, $2, $3) %}
    | %IN_CASE args %GUARD cond %THEN body {% guardedClause($0, $1, $2, $3, $5) %}

rbody -> body {% plainBody($0) %}
       | body handlers {% handledBody($0, $1) %}
handlers -> rescues {% rescuesOnly($0) %}
          | rescues %ELSE body {% rescuesElse($0, $2) %}
          | rescues %ENSURE body {% rescuesEnsure($0, $2) %}
          | rescues %ELSE body %ENSURE body {% rescuesElseEnsure($0, $2, $4) %}
          | %ENSURE body {% ensureOnly($1) %}
rescues -> rescue {% one($0) %}
         | rescues rescue {% append($0, $1) %}
rescue -> %RESCUE %THEN body {% rescueAll($0, $1, $2) %}
        | %RESCUE rtypes %THEN body {% rescueTypes($0, $1, $2, $3) %}
        | %RESCUE rtypes %IDENT %THEN body {% rescueNamed($0, $1, $2, $3, $4) %}
        | %RESCUE rtypes %FATARROW %IDENT %THEN body {% rescueArrow($0, $1, $3, $4, $5) %}
        | %RESCUE %FATARROW %IDENT %THEN body {% rescueAllNamed($0, $2, $3, $4) %}
names -> %IDENT {% one($0) %}
       | names %COMMA %IDENT {% append($0, $2) %}
types -> rtype {% one($0) %}
       | types %COMMA rtype {% append($0, $2) %}

rtypes -> rtype {% one($0) %}
        | rtypes %COMMA rtype {% append($0, $2) %}
rtype -> %IDENT {% ident($0) %}
       | rtype %DOT %IDENT {% errorMember($0, $1, $2) %}
