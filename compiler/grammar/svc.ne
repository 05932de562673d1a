# The grammar of Svc. The layout pass has settled everything that depends on context, so that these rules are LALR(1)
# without conflicts (tools/check-grammar.ts), and hence unambiguous.
#   - Only %TYPE tokens; only left recursion, which alone is linear in an Earley parser.
#   - Every statement is followed by exactly one SEP, every header by exactly one THEN: no optional newlines.
#   - Operators are one flat list; compiler/build/operators.ts settles their precedence.

top -> stmt %SEP {% first %}

body -> null {% none %}
      | body stmt %SEP {% append %}

# A call or jump without parentheses has an ARGS between its last word and the arguments: `puts x`, `a and b.c "d"`.
stmt -> flat {% resolve %}
      | flat %ARGS cargs {% command %}
      | stmt %MOD cond {% modifier %}
      | %MULTI mlhs %ASGN args {% multiAssign %}
      | %LDESTR dentries %RBRACE %ASGN expr {% destructure %}
      | %DEF %IDENT %THEN rbody %END {% def %}
      | %DEF %IDENT params %THEN rbody %END {% defParams %}
      | %DO_LOOP body %DO_WHILE expr {% doWhile %}
      | %RECORD %IDENT params {% record %}
      | %ENUM %IDENT %LPARAM names %RPAREN {% enumeration %}
      | %ERRDECL %IDENT {% errorDecl %}
      | %ERRDECL %IDENT %LT %IDENT {% errorDecl %}
      | %CONST %IDENT %ASGN expr {% constant %}
      | %USE %LIT {% useModule %}
      | %USE %LIT %AS %IDENT {% useModule %}
      | %ERROR {% errorStatement %}

cargs -> args {% commandArgs %}
       | args %DO_CMD rbody %END {% commandBlock %}
       | args %DO_CMD bparams rbody %END {% commandBlockParams %}

# A statement with several targets starts with MULTI.
mlhs -> mitem %COMMA mitem {% two %}
      | mlhs %COMMA mitem {% appendItem %}
mitem -> postfix {% targetItem %}
       | %SPLAT postfix {% splatTarget %}
       | %SPLAT {% splatTarget %}
       | %LPAREN mlhs %RPAREN {% groupTarget %}

dentries -> dentry {% one %}
          | dentries %COMMA dentry {% appendItem %}
dentry -> %IDENT {% destructureName %}
        | %LABEL {% destructureName %}
        | %LABEL %IDENT {% destructureRenamed %}

names -> %IDENT {% one %}
       | names %COMMA %IDENT {% appendItem %}

# ---- expressions
expr -> flat {% resolve %}
cond -> flat {% condition %}
test -> flat {% loopCondition %}

# Assignments are operators here as well.
flat -> postfix {% one %}
      | prefixes postfix {% onePrefixed %}
      | flat infix operand {% operation %}
infix -> %BINOP {% infix %}
       | %ASGN {% infix %}
       | %OPASGN {% infix %}
       | %QMARK expr %COLON {% ternary %}
operand -> postfix {% first %}
         | prefixes postfix {% prefixed %}
prefixes -> %PREFIX {% one %}
          | prefixes %PREFIX {% append %}

# What may follow a value is one rule apart: each value would otherwise start an item for every kind.
postfix -> %LIT {% literal %}
         | %IDENT {% ident %}
         | postfix trailer {% apply %}
         | %STR_BEG parts %STR_END {% interpolated %}
         | %LPAREN stmt %RPAREN {% second %}
         | %LBRACK %RBRACK {% emptyVector %}
         | %LBRACK args %RBRACK {% vector %}
         | %LBRACE %RBRACE {% emptyHash %}
         | %LBRACE pairs %RBRACE {% hash %}
         | %LAMBDA block {% lambda %}
         | %LAMBDA params block {% lambdaParams %}
         | %IF cond %THEN body elsifs orelse %END {% ifElse %}
         | %UNLESS cond %THEN body orelse %END {% unless %}
         | %CASE %THEN whens orelse %END {% caseBare %}
         | %CASE expr %THEN whens orelse %END {% caseOf %}
         | %BEGIN rbody %END {% begin %}
         | %WHILE test %THEN body %END {% whileLoop %}
         | %FOR patterns %IN expr %THEN body %END {% forLoop %}
         | %LOOP %THEN body %END {% loop %}
trailer -> %DOT %IDENT {% memberOf %}
         | %DOT callargs {% callOfValue %}
         | callargs {% callWith %}
         | %LINDEX args %RBRACK {% indexBy %}
         | block {% withBlock %}
callargs -> %LCALL %RPAREN {% noArgs %}
          | %LCALL args %RPAREN {% callArgs %}

args -> arg {% one %}
      | args %COMMA arg {% appendItem %}
arg -> flat {% resolve %}
     | %LABEL {% namedShort %}
     | %LABEL expr {% named %}
     | %SPLAT expr {% splat %}

pairs -> pair {% one %}
       | pairs %COMMA pair {% appendItem %}
pair -> %IDENT {% pairShort %}
      | %LABEL {% pairShort %}
      | %LABEL expr {% pairLabel %}
      | expr %COLON expr {% pairColon %}
      | expr %FATARROW expr {% pairArrow %}
      | %SPLAT expr {% splat %}

parts -> null {% none %}
       | parts %TEXT {% append %}
       | parts %IBEG stmt %IEND {% interpolation %}
       | parts %IBEG %IEND {% first %}

# ---- blocks and parameters
block -> %DO_BLOCK rbody %END {% block %}
       | %DO_BLOCK bparams rbody %END {% blockParams %}
       | %LBLOCK body %RBRACE {% brace %}
       | %LBLOCK bparams body %RBRACE {% braceParams %}
bparams -> %PIPE %PIPE {% none %}
         | %PIPE plist %PIPE {% second %}

params -> %LPARAM %RPAREN {% noParams %}
        | %LPARAM plist %RPAREN {% paramList %}
plist -> param {% one %}
       | plist %COMMA param {% appendItem %}
param -> %IDENT {% plainParam %}
       | %IDENT %ASGN expr {% defaultParam %}
       | %LABEL {% namedParam %}
       | %LABEL expr {% namedParamDefault %}
       | %TLABEL {% plainParam %}
       | %TLABEL %ASGN expr {% defaultParam %}
       | %SPLAT %IDENT {% restParam %}
       | %LPAREN patterns %RPAREN {% groupParam %}

patterns -> pattern {% one %}
          | patterns %COMMA pattern {% appendItem %}
pattern -> %IDENT {% namePattern %}
         | %SPLAT %IDENT {% restPattern %}
         | %SPLAT {% restPattern %}
         | %LPAREN patterns %RPAREN {% groupPattern %}

# ---- parts of blocks
elsifs -> null {% none %}
        | elsifs %ELSIF cond %THEN body {% elsif %}
orelse -> null {% none %}
        | %ELSE body {% elseBody %}

whens -> when {% one %}
       | whens when {% append %}
when -> %WHEN args %THEN body {% when %}

rbody -> body {% plainBody %}
       | body handlers {% handledBody %}
handlers -> rescues {% rescuesOnly %}
          | rescues %ELSE body {% rescuesElse %}
          | rescues %ENSURE body {% rescuesEnsure %}
          | rescues %ELSE body %ENSURE body {% rescuesElseEnsure %}
          | %ENSURE body {% ensureOnly %}
rescues -> rescue {% one %}
         | rescues rescue {% append %}
rescue -> %RESCUE %THEN body {% rescueAll %}
        | %RESCUE rtypes %THEN body {% rescueTypes %}
        | %RESCUE rtypes %IDENT %THEN body {% rescueNamed %}
        | %RESCUE rtypes %FATARROW %IDENT %THEN body {% rescueArrow %}
        | %RESCUE %FATARROW %IDENT %THEN body {% rescueAllNamed %}
rtypes -> rtype {% one %}
        | rtypes %COMMA rtype {% appendItem %}
rtype -> %IDENT {% ident %}
       | rtype %DOT %IDENT {% errorMember %}
