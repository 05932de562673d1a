import{createRequire}from'module';const require=createRequire(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// node_modules/nearley/lib/nearley.js
var require_nearley = __commonJS({
  "node_modules/nearley/lib/nearley.js"(exports, module) {
    (function(root2, factory) {
      if (typeof module === "object" && module.exports) {
        module.exports = factory();
      } else {
        root2.nearley = factory();
      }
    })(exports, function() {
      function Rule(name2, symbols, postprocess) {
        this.id = ++Rule.highestId;
        this.name = name2;
        this.symbols = symbols;
        this.postprocess = postprocess;
        return this;
      }
      Rule.highestId = 0;
      Rule.prototype.toString = function(withCursorAt) {
        var symbolSequence = typeof withCursorAt === "undefined" ? this.symbols.map(getSymbolShortDisplay).join(" ") : this.symbols.slice(0, withCursorAt).map(getSymbolShortDisplay).join(" ") + " \u25CF " + this.symbols.slice(withCursorAt).map(getSymbolShortDisplay).join(" ");
        return this.name + " \u2192 " + symbolSequence;
      };
      function State(rule, dot, reference, wantedBy) {
        this.rule = rule;
        this.dot = dot;
        this.reference = reference;
        this.data = [];
        this.wantedBy = wantedBy;
        this.isComplete = this.dot === rule.symbols.length;
      }
      State.prototype.toString = function() {
        return "{" + this.rule.toString(this.dot) + "}, from: " + (this.reference || 0);
      };
      State.prototype.nextState = function(child) {
        var state = new State(this.rule, this.dot + 1, this.reference, this.wantedBy);
        state.left = this;
        state.right = child;
        if (state.isComplete) {
          state.data = state.build();
          state.right = void 0;
        }
        return state;
      };
      State.prototype.build = function() {
        var children = [];
        var node = this;
        do {
          children.push(node.right.data);
          node = node.left;
        } while (node.left);
        children.reverse();
        return children;
      };
      State.prototype.finish = function() {
        if (this.rule.postprocess) {
          this.data = this.rule.postprocess(this.data, this.reference, Parser.fail);
        }
      };
      function Column(grammar2, index) {
        this.grammar = grammar2;
        this.index = index;
        this.states = [];
        this.wants = {};
        this.scannable = [];
        this.completed = {};
      }
      Column.prototype.process = function(nextColumn) {
        var states = this.states;
        var wants = this.wants;
        var completed = this.completed;
        for (var w = 0; w < states.length; w++) {
          var state = states[w];
          if (state.isComplete) {
            state.finish();
            if (state.data !== Parser.fail) {
              var wantedBy = state.wantedBy;
              for (var i = wantedBy.length; i--; ) {
                var left = wantedBy[i];
                this.complete(left, state);
              }
              if (state.reference === this.index) {
                var exp = state.rule.name;
                (this.completed[exp] = this.completed[exp] || []).push(state);
              }
            }
          } else {
            var exp = state.rule.symbols[state.dot];
            if (typeof exp !== "string") {
              this.scannable.push(state);
              continue;
            }
            if (wants[exp]) {
              wants[exp].push(state);
              if (completed.hasOwnProperty(exp)) {
                var nulls = completed[exp];
                for (var i = 0; i < nulls.length; i++) {
                  var right = nulls[i];
                  this.complete(state, right);
                }
              }
            } else {
              wants[exp] = [state];
              this.predict(exp);
            }
          }
        }
      };
      Column.prototype.predict = function(exp) {
        var rules3 = this.grammar.byName[exp] || [];
        for (var i = 0; i < rules3.length; i++) {
          var r2 = rules3[i];
          var wantedBy = this.wants[exp];
          var s = new State(r2, 0, this.index, wantedBy);
          this.states.push(s);
        }
      };
      Column.prototype.complete = function(left, right) {
        var copy = left.nextState(right);
        this.states.push(copy);
      };
      function Grammar(rules3, start2) {
        this.rules = rules3;
        this.start = start2 || this.rules[0].name;
        var byName2 = this.byName = {};
        this.rules.forEach(function(rule) {
          if (!byName2.hasOwnProperty(rule.name)) {
            byName2[rule.name] = [];
          }
          byName2[rule.name].push(rule);
        });
      }
      Grammar.fromCompiled = function(rules3, start2) {
        var lexer = rules3.Lexer;
        if (rules3.ParserStart) {
          start2 = rules3.ParserStart;
          rules3 = rules3.ParserRules;
        }
        var rules3 = rules3.map(function(r2) {
          return new Rule(r2.name, r2.symbols, r2.postprocess);
        });
        var g = new Grammar(rules3, start2);
        g.lexer = lexer;
        return g;
      };
      function StreamLexer() {
        this.reset("");
      }
      StreamLexer.prototype.reset = function(data, state) {
        this.buffer = data;
        this.index = 0;
        this.line = state ? state.line : 1;
        this.lastLineBreak = state ? -state.col : 0;
      };
      StreamLexer.prototype.next = function() {
        if (this.index < this.buffer.length) {
          var ch = this.buffer[this.index++];
          if (ch === "\n") {
            this.line += 1;
            this.lastLineBreak = this.index;
          }
          return { value: ch };
        }
      };
      StreamLexer.prototype.save = function() {
        return {
          line: this.line,
          col: this.index - this.lastLineBreak
        };
      };
      StreamLexer.prototype.formatError = function(token, message) {
        var buffer = this.buffer;
        if (typeof buffer === "string") {
          var lines2 = buffer.split("\n").slice(
            Math.max(0, this.line - 5),
            this.line
          );
          var nextLineBreak = buffer.indexOf("\n", this.index);
          if (nextLineBreak === -1) nextLineBreak = buffer.length;
          var col = this.index - this.lastLineBreak;
          var lastLineDigits = String(this.line).length;
          message += " at line " + this.line + " col " + col + ":\n\n";
          message += lines2.map(function(line3, i) {
            return pad2(this.line - lines2.length + i + 1, lastLineDigits) + " " + line3;
          }, this).join("\n");
          message += "\n" + pad2("", lastLineDigits + col) + "^\n";
          return message;
        } else {
          return message + " at index " + (this.index - 1);
        }
        function pad2(n, length2) {
          var s = String(n);
          return Array(length2 - s.length + 1).join(" ") + s;
        }
      };
      function Parser(rules3, start2, options) {
        if (rules3 instanceof Grammar) {
          var grammar2 = rules3;
          var options = start2;
        } else {
          var grammar2 = Grammar.fromCompiled(rules3, start2);
        }
        this.grammar = grammar2;
        this.options = {
          keepHistory: false,
          lexer: grammar2.lexer || new StreamLexer()
        };
        for (var key in options || {}) {
          this.options[key] = options[key];
        }
        this.lexer = this.options.lexer;
        this.lexerState = void 0;
        var column = new Column(grammar2, 0);
        var table = this.table = [column];
        column.wants[grammar2.start] = [];
        column.predict(grammar2.start);
        column.process();
        this.current = 0;
      }
      Parser.fail = {};
      Parser.prototype.feed = function(chunk) {
        var lexer = this.lexer;
        lexer.reset(chunk, this.lexerState);
        var token;
        while (true) {
          try {
            token = lexer.next();
            if (!token) {
              break;
            }
          } catch (e) {
            var nextColumn = new Column(this.grammar, this.current + 1);
            this.table.push(nextColumn);
            var err = new Error(this.reportLexerError(e));
            err.offset = this.current;
            err.token = e.token;
            throw err;
          }
          var column = this.table[this.current];
          if (!this.options.keepHistory) {
            delete this.table[this.current - 1];
          }
          var n = this.current + 1;
          var nextColumn = new Column(this.grammar, n);
          this.table.push(nextColumn);
          var literal4 = token.text !== void 0 ? token.text : token.value;
          var value = lexer.constructor === StreamLexer ? token.value : token;
          var scannable = column.scannable;
          for (var w = scannable.length; w--; ) {
            var state = scannable[w];
            var expect = state.rule.symbols[state.dot];
            if (expect.test ? expect.test(value) : expect.type ? expect.type === token.type : expect.literal === literal4) {
              var next = state.nextState({ data: value, token, isToken: true, reference: n - 1 });
              nextColumn.states.push(next);
            }
          }
          nextColumn.process();
          if (nextColumn.states.length === 0) {
            var err = new Error(this.reportError(token));
            err.offset = this.current;
            err.token = token;
            throw err;
          }
          if (this.options.keepHistory) {
            column.lexerState = lexer.save();
          }
          this.current++;
        }
        if (column) {
          this.lexerState = lexer.save();
        }
        this.results = this.finish();
        return this;
      };
      Parser.prototype.reportLexerError = function(lexerError) {
        var tokenDisplay, lexerMessage;
        var token = lexerError.token;
        if (token) {
          tokenDisplay = "input " + JSON.stringify(token.text[0]) + " (lexer error)";
          lexerMessage = this.lexer.formatError(token, "Syntax error");
        } else {
          tokenDisplay = "input (lexer error)";
          lexerMessage = lexerError.message;
        }
        return this.reportErrorCommon(lexerMessage, tokenDisplay);
      };
      Parser.prototype.reportError = function(token) {
        var tokenDisplay = (token.type ? token.type + " token: " : "") + JSON.stringify(token.value !== void 0 ? token.value : token);
        var lexerMessage = this.lexer.formatError(token, "Syntax error");
        return this.reportErrorCommon(lexerMessage, tokenDisplay);
      };
      Parser.prototype.reportErrorCommon = function(lexerMessage, tokenDisplay) {
        var lines2 = [];
        lines2.push(lexerMessage);
        var lastColumnIndex = this.table.length - 2;
        var lastColumn = this.table[lastColumnIndex];
        var expectantStates = lastColumn.states.filter(function(state) {
          var nextSymbol = state.rule.symbols[state.dot];
          return nextSymbol && typeof nextSymbol !== "string";
        });
        if (expectantStates.length === 0) {
          lines2.push("Unexpected " + tokenDisplay + ". I did not expect any more input. Here is the state of my parse table:\n");
          this.displayStateStack(lastColumn.states, lines2);
        } else {
          lines2.push("Unexpected " + tokenDisplay + ". Instead, I was expecting to see one of the following:\n");
          var stateStacks = expectantStates.map(function(state) {
            return this.buildFirstStateStack(state, []) || [state];
          }, this);
          stateStacks.forEach(function(stateStack) {
            var state = stateStack[0];
            var nextSymbol = state.rule.symbols[state.dot];
            var symbolDisplay = this.getSymbolDisplay(nextSymbol);
            lines2.push("A " + symbolDisplay + " based on:");
            this.displayStateStack(stateStack, lines2);
          }, this);
        }
        lines2.push("");
        return lines2.join("\n");
      };
      Parser.prototype.displayStateStack = function(stateStack, lines2) {
        var lastDisplay;
        var sameDisplayCount = 0;
        for (var j = 0; j < stateStack.length; j++) {
          var state = stateStack[j];
          var display = state.rule.toString(state.dot);
          if (display === lastDisplay) {
            sameDisplayCount++;
          } else {
            if (sameDisplayCount > 0) {
              lines2.push("    ^ " + sameDisplayCount + " more lines identical to this");
            }
            sameDisplayCount = 0;
            lines2.push("    " + display);
          }
          lastDisplay = display;
        }
      };
      Parser.prototype.getSymbolDisplay = function(symbol) {
        return getSymbolLongDisplay(symbol);
      };
      Parser.prototype.buildFirstStateStack = function(state, visited) {
        if (visited.indexOf(state) !== -1) {
          return null;
        }
        if (state.wantedBy.length === 0) {
          return [state];
        }
        var prevState = state.wantedBy[0];
        var childVisited = [state].concat(visited);
        var childResult = this.buildFirstStateStack(prevState, childVisited);
        if (childResult === null) {
          return null;
        }
        return [state].concat(childResult);
      };
      Parser.prototype.save = function() {
        var column = this.table[this.current];
        column.lexerState = this.lexerState;
        return column;
      };
      Parser.prototype.restore = function(column) {
        var index = column.index;
        this.current = index;
        this.table[index] = column;
        this.table.splice(index + 1);
        this.lexerState = column.lexerState;
        this.results = this.finish();
      };
      Parser.prototype.rewind = function(index) {
        if (!this.options.keepHistory) {
          throw new Error("set option `keepHistory` to enable rewinding");
        }
        this.restore(this.table[index]);
      };
      Parser.prototype.finish = function() {
        var considerations = [];
        var start2 = this.grammar.start;
        var column = this.table[this.table.length - 1];
        column.states.forEach(function(t2) {
          if (t2.rule.name === start2 && t2.dot === t2.rule.symbols.length && t2.reference === 0 && t2.data !== Parser.fail) {
            considerations.push(t2);
          }
        });
        return considerations.map(function(c) {
          return c.data;
        });
      };
      function getSymbolLongDisplay(symbol) {
        var type = typeof symbol;
        if (type === "string") {
          return symbol;
        } else if (type === "object") {
          if (symbol.literal) {
            return JSON.stringify(symbol.literal);
          } else if (symbol instanceof RegExp) {
            return "character matching " + symbol;
          } else if (symbol.type) {
            return symbol.type + " token";
          } else if (symbol.test) {
            return "token matching " + String(symbol.test);
          } else {
            throw new Error("Unknown symbol type: " + symbol);
          }
        }
      }
      function getSymbolShortDisplay(symbol) {
        var type = typeof symbol;
        if (type === "string") {
          return symbol;
        } else if (type === "object") {
          if (symbol.literal) {
            return JSON.stringify(symbol.literal);
          } else if (symbol instanceof RegExp) {
            return symbol.toString();
          } else if (symbol.type) {
            return "%" + symbol.type;
          } else if (symbol.test) {
            return "<" + String(symbol.test) + ">";
          } else {
            throw new Error("Unknown symbol type: " + symbol);
          }
        }
      }
      return {
        Parser,
        Grammar,
        Rule
      };
    });
  }
});

// node_modules/moo/moo.js
var require_moo = __commonJS({
  "node_modules/moo/moo.js"(exports, module) {
    (function(root2, factory) {
      if (typeof define === "function" && define.amd) {
        define([], factory);
      } else if (typeof module === "object" && module.exports) {
        module.exports = factory();
      } else {
        root2.moo = factory();
      }
    })(exports, function() {
      "use strict";
      var hasOwnProperty = Object.prototype.hasOwnProperty;
      var toString = Object.prototype.toString;
      var hasSticky = typeof new RegExp().sticky === "boolean";
      function isRegExp(o) {
        return o && toString.call(o) === "[object RegExp]";
      }
      function isObject(o) {
        return o && typeof o === "object" && !isRegExp(o) && !Array.isArray(o);
      }
      function reEscape(s) {
        return s.replace(/[-\/\\^$*+?.()|[\]{}]/g, function(x) {
          if (x === "-") return "\\x2d";
          return "\\" + x;
        });
      }
      function reGroups(s) {
        var re = new RegExp("|" + s);
        return re.exec("").length - 1;
      }
      function reCapture(s) {
        return "(" + s + ")";
      }
      function reUnion(regexps) {
        if (!regexps.length) return "(?!)";
        var source = regexps.map(function(s) {
          return "(?:" + s + ")";
        }).join("|");
        return "(?:" + source + ")";
      }
      function regexpOrLiteral(obj) {
        if (typeof obj === "string") {
          return "(?:" + reEscape(obj) + ")";
        } else if (isRegExp(obj)) {
          if (obj.ignoreCase) throw new Error("RegExp /i flag not allowed");
          if (obj.global) throw new Error("RegExp /g flag is implied");
          if (obj.sticky) throw new Error("RegExp /y flag is implied");
          if (obj.multiline) throw new Error("RegExp /m flag is implied");
          return obj.source;
        } else {
          throw new Error("Not a pattern: " + obj);
        }
      }
      function pad2(s, length2) {
        if (s.length > length2) {
          return s;
        }
        return Array(length2 - s.length + 1).join(" ") + s;
      }
      function lastNLines(string2, numLines) {
        var position = string2.length;
        var lineBreaks = 0;
        while (true) {
          var idx = string2.lastIndexOf("\n", position - 1);
          if (idx === -1) {
            break;
          } else {
            lineBreaks++;
          }
          position = idx;
          if (lineBreaks === numLines) {
            break;
          }
          if (position === 0) {
            break;
          }
        }
        var startPosition = lineBreaks < numLines ? 0 : position + 1;
        return string2.substring(startPosition).split("\n");
      }
      function objectToRules(object) {
        var keys = Object.getOwnPropertyNames(object);
        var result = [];
        for (var i = 0; i < keys.length; i++) {
          var key = keys[i];
          var thing = object[key];
          var rules3 = [].concat(thing);
          if (key === "include") {
            for (var j = 0; j < rules3.length; j++) {
              result.push({ include: rules3[j] });
            }
            continue;
          }
          var match = [];
          rules3.forEach(function(rule) {
            if (isObject(rule)) {
              if (match.length) result.push(ruleOptions(key, match));
              result.push(ruleOptions(key, rule));
              match = [];
            } else {
              match.push(rule);
            }
          });
          if (match.length) result.push(ruleOptions(key, match));
        }
        return result;
      }
      function arrayToRules(array) {
        var result = [];
        for (var i = 0; i < array.length; i++) {
          var obj = array[i];
          if (obj.include) {
            var include = [].concat(obj.include);
            for (var j = 0; j < include.length; j++) {
              result.push({ include: include[j] });
            }
            continue;
          }
          if (!obj.type) {
            throw new Error("Rule has no type: " + JSON.stringify(obj));
          }
          result.push(ruleOptions(obj.type, obj));
        }
        return result;
      }
      function ruleOptions(type, obj) {
        if (!isObject(obj)) {
          obj = { match: obj };
        }
        if (obj.include) {
          throw new Error("Matching rules cannot also include states");
        }
        var options = {
          defaultType: type,
          lineBreaks: !!obj.error || !!obj.fallback,
          pop: false,
          next: null,
          push: null,
          error: false,
          fallback: false,
          value: null,
          type: null,
          shouldThrow: false
        };
        for (var key in obj) {
          if (hasOwnProperty.call(obj, key)) {
            options[key] = obj[key];
          }
        }
        if (typeof options.type === "string" && type !== options.type) {
          throw new Error("Type transform cannot be a string (type '" + options.type + "' for token '" + type + "')");
        }
        var match = options.match;
        options.match = Array.isArray(match) ? match : match ? [match] : [];
        options.match.sort(function(a, b) {
          return isRegExp(a) && isRegExp(b) ? 0 : isRegExp(b) ? -1 : isRegExp(a) ? 1 : b.length - a.length;
        });
        return options;
      }
      function toRules(spec) {
        return Array.isArray(spec) ? arrayToRules(spec) : objectToRules(spec);
      }
      var defaultErrorRule = ruleOptions("error", { lineBreaks: true, shouldThrow: true });
      function compileRules(rules3, hasStates) {
        var errorRule = null;
        var fast = /* @__PURE__ */ Object.create(null);
        var fastAllowed = true;
        var unicodeFlag = null;
        var groups = [];
        var parts = [];
        for (var i = 0; i < rules3.length; i++) {
          if (rules3[i].fallback) {
            fastAllowed = false;
          }
        }
        for (var i = 0; i < rules3.length; i++) {
          var options = rules3[i];
          if (options.include) {
            throw new Error("Inheritance is not allowed in stateless lexers");
          }
          if (options.error || options.fallback) {
            if (errorRule) {
              if (!options.fallback === !errorRule.fallback) {
                throw new Error("Multiple " + (options.fallback ? "fallback" : "error") + " rules not allowed (for token '" + options.defaultType + "')");
              } else {
                throw new Error("fallback and error are mutually exclusive (for token '" + options.defaultType + "')");
              }
            }
            errorRule = options;
          }
          var match = options.match.slice();
          if (fastAllowed) {
            while (match.length && typeof match[0] === "string" && match[0].length === 1) {
              var word2 = match.shift();
              fast[word2.charCodeAt(0)] = options;
            }
          }
          if (options.pop || options.push || options.next) {
            if (!hasStates) {
              throw new Error("State-switching options are not allowed in stateless lexers (for token '" + options.defaultType + "')");
            }
            if (options.fallback) {
              throw new Error("State-switching options are not allowed on fallback tokens (for token '" + options.defaultType + "')");
            }
          }
          if (match.length === 0) {
            continue;
          }
          fastAllowed = false;
          groups.push(options);
          for (var j = 0; j < match.length; j++) {
            var obj = match[j];
            if (!isRegExp(obj)) {
              continue;
            }
            if (unicodeFlag === null) {
              unicodeFlag = obj.unicode;
            } else if (unicodeFlag !== obj.unicode && options.fallback === false) {
              throw new Error("If one rule is /u then all must be");
            }
          }
          var pat = reUnion(match.map(regexpOrLiteral));
          var regexp = new RegExp(pat);
          if (regexp.test("")) {
            throw new Error("RegExp matches empty string: " + regexp);
          }
          var groupCount = reGroups(pat);
          if (groupCount > 0) {
            throw new Error("RegExp has capture groups: " + regexp + "\nUse (?: \u2026 ) instead");
          }
          if (!options.lineBreaks && regexp.test("\n")) {
            throw new Error("Rule should declare lineBreaks: " + regexp);
          }
          parts.push(reCapture(pat));
        }
        var fallbackRule = errorRule && errorRule.fallback;
        var flags = hasSticky && !fallbackRule ? "ym" : "gm";
        var suffix = hasSticky || fallbackRule ? "" : "|";
        if (unicodeFlag === true) flags += "u";
        var combined = new RegExp(reUnion(parts) + suffix, flags);
        return { regexp: combined, groups, fast, error: errorRule || defaultErrorRule };
      }
      function compile3(rules3) {
        var result = compileRules(toRules(rules3));
        return new Lexer({ start: result }, "start");
      }
      function checkStateGroup(g, name2, map) {
        var state = g && (g.push || g.next);
        if (state && !map[state]) {
          throw new Error("Missing state '" + state + "' (in token '" + g.defaultType + "' of state '" + name2 + "')");
        }
        if (g && g.pop && +g.pop !== 1) {
          throw new Error("pop must be 1 (in token '" + g.defaultType + "' of state '" + name2 + "')");
        }
      }
      function compileStates(states, start2) {
        var all = states.$all ? toRules(states.$all) : [];
        delete states.$all;
        var keys = Object.getOwnPropertyNames(states);
        if (!start2) start2 = keys[0];
        var ruleMap = /* @__PURE__ */ Object.create(null);
        for (var i = 0; i < keys.length; i++) {
          var key = keys[i];
          ruleMap[key] = toRules(states[key]).concat(all);
        }
        for (var i = 0; i < keys.length; i++) {
          var key = keys[i];
          var rules3 = ruleMap[key];
          var included = /* @__PURE__ */ Object.create(null);
          for (var j = 0; j < rules3.length; j++) {
            var rule = rules3[j];
            if (!rule.include) continue;
            var splice = [j, 1];
            if (rule.include !== key && !included[rule.include]) {
              included[rule.include] = true;
              var newRules = ruleMap[rule.include];
              if (!newRules) {
                throw new Error("Cannot include nonexistent state '" + rule.include + "' (in state '" + key + "')");
              }
              for (var k = 0; k < newRules.length; k++) {
                var newRule = newRules[k];
                if (rules3.indexOf(newRule) !== -1) continue;
                splice.push(newRule);
              }
            }
            rules3.splice.apply(rules3, splice);
            j--;
          }
        }
        var map = /* @__PURE__ */ Object.create(null);
        for (var i = 0; i < keys.length; i++) {
          var key = keys[i];
          map[key] = compileRules(ruleMap[key], true);
        }
        for (var i = 0; i < keys.length; i++) {
          var name2 = keys[i];
          var state = map[name2];
          var groups = state.groups;
          for (var j = 0; j < groups.length; j++) {
            checkStateGroup(groups[j], name2, map);
          }
          var fastKeys = Object.getOwnPropertyNames(state.fast);
          for (var j = 0; j < fastKeys.length; j++) {
            checkStateGroup(state.fast[fastKeys[j]], name2, map);
          }
        }
        return new Lexer(map, start2);
      }
      function keywordTransform(map) {
        var isMap = typeof Map !== "undefined";
        var reverseMap = isMap ? /* @__PURE__ */ new Map() : /* @__PURE__ */ Object.create(null);
        var types2 = Object.getOwnPropertyNames(map);
        for (var i = 0; i < types2.length; i++) {
          var tokenType = types2[i];
          var item = map[tokenType];
          var keywordList = Array.isArray(item) ? item : [item];
          keywordList.forEach(function(keyword2) {
            if (typeof keyword2 !== "string") {
              throw new Error("keyword must be string (in keyword '" + tokenType + "')");
            }
            if (isMap) {
              reverseMap.set(keyword2, tokenType);
            } else {
              reverseMap[keyword2] = tokenType;
            }
          });
        }
        return function(k) {
          return isMap ? reverseMap.get(k) : reverseMap[k];
        };
      }
      var Lexer = function(states, state) {
        this.startState = state;
        this.states = states;
        this.buffer = "";
        this.stack = [];
        this.reset();
      };
      Lexer.prototype.reset = function(data, info2) {
        this.buffer = data || "";
        this.index = 0;
        this.line = info2 ? info2.line : 1;
        this.col = info2 ? info2.col : 1;
        this.queuedToken = info2 ? info2.queuedToken : null;
        this.queuedText = info2 ? info2.queuedText : "";
        this.queuedThrow = info2 ? info2.queuedThrow : null;
        this.setState(info2 ? info2.state : this.startState);
        this.stack = info2 && info2.stack ? info2.stack.slice() : [];
        return this;
      };
      Lexer.prototype.save = function() {
        return {
          line: this.line,
          col: this.col,
          state: this.state,
          stack: this.stack.slice(),
          queuedToken: this.queuedToken,
          queuedText: this.queuedText,
          queuedThrow: this.queuedThrow
        };
      };
      Lexer.prototype.setState = function(state) {
        if (!state || this.state === state) return;
        this.state = state;
        var info2 = this.states[state];
        this.groups = info2.groups;
        this.error = info2.error;
        this.re = info2.regexp;
        this.fast = info2.fast;
      };
      Lexer.prototype.popState = function() {
        this.setState(this.stack.pop());
      };
      Lexer.prototype.pushState = function(state) {
        this.stack.push(this.state);
        this.setState(state);
      };
      var eat = hasSticky ? function(re, buffer) {
        return re.exec(buffer);
      } : function(re, buffer) {
        var match = re.exec(buffer);
        if (match[0].length === 0) {
          return null;
        }
        return match;
      };
      Lexer.prototype._getGroup = function(match) {
        var groupCount = this.groups.length;
        for (var i = 0; i < groupCount; i++) {
          if (match[i + 1] !== void 0) {
            return this.groups[i];
          }
        }
        throw new Error("Cannot find token type for matched text");
      };
      function tokenToString() {
        return this.value;
      }
      Lexer.prototype.next = function() {
        var index = this.index;
        if (this.queuedGroup) {
          var token = this._token(this.queuedGroup, this.queuedText, index);
          this.queuedGroup = null;
          this.queuedText = "";
          return token;
        }
        var buffer = this.buffer;
        if (index === buffer.length) {
          return;
        }
        var group2 = this.fast[buffer.charCodeAt(index)];
        if (group2) {
          return this._token(group2, buffer.charAt(index), index);
        }
        var re = this.re;
        re.lastIndex = index;
        var match = eat(re, buffer);
        var error = this.error;
        if (match == null) {
          return this._token(error, buffer.slice(index, buffer.length), index);
        }
        var group2 = this._getGroup(match);
        var text3 = match[0];
        if (error.fallback && match.index !== index) {
          this.queuedGroup = group2;
          this.queuedText = text3;
          return this._token(error, buffer.slice(index, match.index), index);
        }
        return this._token(group2, text3, index);
      };
      Lexer.prototype._token = function(group2, text3, offset) {
        var lineBreaks = 0;
        if (group2.lineBreaks) {
          var matchNL = /\n/g;
          var nl = 1;
          if (text3 === "\n") {
            lineBreaks = 1;
          } else {
            while (matchNL.exec(text3)) {
              lineBreaks++;
              nl = matchNL.lastIndex;
            }
          }
        }
        var token = {
          type: typeof group2.type === "function" && group2.type(text3) || group2.defaultType,
          value: typeof group2.value === "function" ? group2.value(text3) : text3,
          text: text3,
          toString: tokenToString,
          offset,
          lineBreaks,
          line: this.line,
          col: this.col
        };
        var size = text3.length;
        this.index += size;
        this.line += lineBreaks;
        if (lineBreaks !== 0) {
          this.col = size - nl + 1;
        } else {
          this.col += size;
        }
        if (group2.shouldThrow) {
          var err = new Error(this.formatError(token, "invalid syntax"));
          throw err;
        }
        if (group2.pop) this.popState();
        else if (group2.push) this.pushState(group2.push);
        else if (group2.next) this.setState(group2.next);
        return token;
      };
      if (typeof Symbol !== "undefined" && Symbol.iterator) {
        var LexerIterator = function(lexer) {
          this.lexer = lexer;
        };
        LexerIterator.prototype.next = function() {
          var token = this.lexer.next();
          return { value: token, done: !token };
        };
        LexerIterator.prototype[Symbol.iterator] = function() {
          return this;
        };
        Lexer.prototype[Symbol.iterator] = function() {
          return new LexerIterator(this);
        };
      }
      Lexer.prototype.formatError = function(token, message) {
        if (token == null) {
          var text3 = this.buffer.slice(this.index);
          var token = {
            text: text3,
            offset: this.index,
            lineBreaks: text3.indexOf("\n") === -1 ? 0 : 1,
            line: this.line,
            col: this.col
          };
        }
        var numLinesAround = 2;
        var firstDisplayedLine = Math.max(token.line - numLinesAround, 1);
        var lastDisplayedLine = token.line + numLinesAround;
        var lastLineDigits = String(lastDisplayedLine).length;
        var displayedLines = lastNLines(
          this.buffer,
          this.line - token.line + numLinesAround + 1
        ).slice(0, 5);
        var errorLines = [];
        errorLines.push(message + " at line " + token.line + " col " + token.col + ":");
        errorLines.push("");
        for (var i = 0; i < displayedLines.length; i++) {
          var line3 = displayedLines[i];
          var lineNo = firstDisplayedLine + i;
          errorLines.push(pad2(String(lineNo), lastLineDigits) + "  " + line3);
          if (lineNo === token.line) {
            errorLines.push(pad2("", lastLineDigits + token.col + 1) + "^");
          }
        }
        return errorLines.join("\n");
      };
      Lexer.prototype.clone = function() {
        return new Lexer(this.states, this.state);
      };
      Lexer.prototype.has = function(tokenType) {
        return true;
      };
      return {
        compile: compile3,
        states: compileStates,
        error: Object.freeze({ error: true }),
        fallback: Object.freeze({ fallback: true }),
        keywords: keywordTransform
      };
    });
  }
});

// vm/bytecode/opcodes.ts
var ROWS = [
  // Loads and moves
  [1, "LOADK", "d..", "K", "", "A = constant K"],
  [2, "LOADI", "dI.", "", "", "A = the Integer BC"],
  [3, "LOADNIL", "d..", "", "", "A = nil"],
  [4, "LOADTRUE", "d..", "", "", "A = true"],
  [5, "LOADFALSE", "d..", "", "", "A = false"],
  [6, "ABSENT", "d..", "", "", "A = the mark of an argument that was not given"],
  [7, "MOVE", "ds.", "", "", "A = B"],
  [8, "MOVEW", "...", "X", "", "Moves between registers of any number, the only instruction that reaches those above 255"],
  [9, "CAPTURE", "dU.", "", "", "A = captured value number BC of the running closure"],
  [10, "NEWCELL", "ds.", "", "", "A = a new cell that holds B"],
  [11, "CELLGET", "ds.", "", "", "A = what cell B holds"],
  [12, "CELLSET", "ss.", "", "", "Cell A holds B"],
  [13, "GETSLOT", "d..", "G", "", "A = module slot G"],
  [14, "SETSLOT", "s..", "G", "", "Module slot G = A"],
  [15, "LOADNATIVE", "d..", "N", "", "A = the native function, built-in type or constant N as a value"],
  [16, "LOADTYPE", "d..", "T", "", "A = record, enum or error type T of this program"],
  // Arithmetic and comparison
  [20, "ADD", "dss", "", "r", "A = B + C"],
  [21, "SUB", "dss", "", "r", "A = B - C"],
  [22, "MUL", "dss", "", "r", "A = B * C"],
  [23, "DIV", "dss", "", "r", "A = B / C, always a Float for numbers"],
  [24, "IDIV", "dss", "", "r", "A = B // C"],
  [25, "MOD", "dss", "", "r", "A = B % C"],
  [26, "POW", "dss", "", "r", "A = B ** C"],
  [27, "ADDI", "dsi", "", "r", "A = B + the Integer C"],
  [28, "NEG", "ds.", "", "r", "A = -B"],
  [29, "NOT", "ds.", "", "", "A = true when B is nil or false, else false"],
  [30, "LT", "dss", "", "r", "A = B < C"],
  [31, "LE", "dss", "", "r", "A = B <= C"],
  [32, "GT", "dss", "", "r", "A = B > C"],
  [33, "GE", "dss", "", "r", "A = B >= C"],
  [34, "EQ", "dss", "", "r", "A = B == C, structural"],
  [35, "NE", "dss", "", "r", "A = B != C"],
  [36, "COMPARE", "dss", "", "r", "A = -1, 0 or 1 as B is less than, equal to or greater than C"],
  [37, "MATCH", "dss", "", "r", "A = the match of regex and text B =~ C, or nil"],
  [38, "UNION", "dss", "", "r", "A = B | C: hashes merged, vectors united"],
  [39, "APPEND", "dss", "", "r", "Appends C to vector B; A = B"],
  [40, "MATCHES", "dss", "", "r", "A = whether value C matches the pattern B of a `when` or `rescue`"],
  // Control flow
  [50, "JUMP", "...", "J", "x", "Goes to J, forward only"],
  [51, "LOOP", "...", "J", "xu", "Goes back to the LOOPHEAD at J: the only backward jump, and a safepoint"],
  [52, "LOOPHEAD", "...", "E", "", "Opens the loop region that ends at E"],
  [53, "JF", "s..", "J", "", "Goes to J when A is nil or false"],
  [54, "JT", "s..", "J", "", "Goes to J unless A is nil or false"],
  [55, "JNIL", "s..", "J", "", "Goes to J when A is nil"],
  [56, "JGIVEN", "s..", "J", "", "Goes to J when argument A was given"],
  [57, "JNLT", "ss.", "J", "r", "Goes to J unless A < B"],
  [58, "JNLE", "ss.", "J", "r", "Goes to J unless A <= B"],
  [59, "JNGT", "ss.", "J", "r", "Goes to J unless A > B"],
  [60, "JNGE", "ss.", "J", "r", "Goes to J unless A >= B"],
  [61, "JNEQ", "ss.", "J", "r", "Goes to J unless A == B"],
  [62, "JEQ", "ss.", "J", "r", "Goes to J when A == B"],
  [63, "JNLTI", "sI.", "J", "r", "Goes to J unless A < the Integer BC"],
  // Calls
  [70, "CALL", "d.n", "F*", "ru", "A = function F called with exactly its parameters, absent ones marked"],
  [71, "CALLV", "dsn", "*", "ru", "A = value B called with positional arguments"],
  [72, "CALLN", "dsn", "S*", "ru", "A = value B called; the last arguments carry the names S, `&` names the block"],
  [73, "APPLY", "d.n", "*", "ru", "A = first argument called with the vector in the second and the named hash (or nil) in the third"],
  [74, "NATIVE", "d.n", "N*", "ru", "A = native function N called with positional arguments"],
  [75, "CALLM", "dsn", "K*", "ru", "A = method K of B called with positional arguments"],
  [76, "CALLMN", "dsn", "KS*", "ru", "A = method K of B called; the last arguments carry the names S, `&` names the block"],
  [77, "APPLYM", "d.n", "K*", "ru", "A = method K of the first argument, called like APPLY"],
  [78, "GETF", "ds.", "K", "ru", "A = field K of B, or its method K called without arguments"],
  [79, "SETF", "ss.", "K", "ru", "Field K of A = B"],
  [80, "INDEX", "dss", "", "ru", "A = B[C]"],
  [81, "SETINDEX", "sss", "", "ru", "A[B] = C"],
  [82, "RETURN", "s..", "", "x", "Returns A to the caller"],
  [83, "THROW", "s..", "", "rx", "Raises A: an error, an error type, or a text"],
  [84, "RETHROW", "s..", "", "rx", "Goes on unwinding with what a CATCH kept in A"],
  [85, "CATCH", "du.", "", "", "Start of a handler: A = the error (B = 0), or whatever is unwinding, for RETHROW (B = 1)"],
  // Construction
  [90, "CLOSURE", "d.n", "F*", "", "A = closure of function F over the argument registers"],
  [91, "VECTOR", "d.n", "*", "", "A = a new vector of the arguments"],
  [92, "VPUSH", "ss.", "", "", "Appends B to the vector under construction A"],
  [93, "VEXTEND", "ss.", "", "r", "Appends all elements of B to the vector under construction A"],
  [94, "HASH", "d.n", "S*", "", "A = a new hash with the keys S and the arguments as values"],
  [95, "HMERGE", "ss.", "", "r", "Copies all pairs of B into the hash under construction A"],
  [96, "RANGE", "dss", "", "r", "A = B..C; endless when C is nil"],
  [97, "RANGEX", "dss", "", "r", "A = B...C"],
  [98, "CONCAT", "d.n", "*", "r", "A = the texts of the arguments joined: string interpolation"],
  [99, "NEWREC", "d.n", "T*", "", "A = a record of type T with the arguments as fields"],
  // Iteration and taking apart
  [110, "ITER", "dsu", "K", "r", "A = an iterator over B in mode C; K names the method for the error text"],
  [111, "NEXT", "ds.", "J", "", "A = next element of iterator B, or goes to J at the end"],
  [112, "NEXT2", "dds", "J", "", "A, B = next element of iterator C taken apart, or goes to J at the end"],
  [113, "ITEM", "dsu", "", "", "A = element C of B when B is a vector, else B for C = 0 and nil above"],
  [114, "REST", "dsu", "W", "", "A = the elements of B from C on, without the last W"],
  [115, "ITEMEND", "dsu", "W", "", "A = element C of the part of B that follows a rest; W = elements before it | elements behind it << 8"]
];
var ITER_ITEMS = 0;
var ITER_EACH = 1;
var ITER_COUNT = 2;
function toInfo([op, name2, roles, extras, flags, doc]) {
  return { op, name: name2, roles, extras, raises: flags.includes("r"), suspends: flags.includes("u"), ends: flags.includes("x"), doc };
}
var OPCODES = ROWS.map(toInfo);
var OPCODE_BY_NUMBER = (() => {
  const table = new Array(256).fill(void 0);
  for (const info2 of OPCODES) table[info2.op] = info2;
  return table;
})();

// vm/bytecode/encode.ts
var Encoder = class {
  code = [];
  handlers = [];
  lines = [];
  line = 0;
  column = 0;
  /** Address of the next instruction. */
  get pc() {
    return this.code.length;
  }
  /** Instructions written from now on stand at this place of the source. */
  position(line3, column) {
    this.line = line3;
    this.column = column;
  }
  /** Appends one instruction; `extras` holds its extra words in order, labels for jump targets. */
  emit(op, a = 0, b = 0, c = 0, extras = [], args = []) {
    this.noteLine();
    this.code.push(op | a << 8 | (b & 255) << 16 | (c & 255) << 24 | 0);
    for (const extra of extras) this.code.push(typeof extra === "number" ? extra : this.reference(extra));
    for (let i = 0; i < args.length; i += 4) {
      this.code.push(args[i] | (args[i + 1] ?? 0) << 8 | (args[i + 2] ?? 0) << 16 | (args[i + 3] ?? 0) << 24 | 0);
    }
  }
  /** Appends an instruction with a 16-bit number in B and C. */
  emit16(op, a, value, extras = []) {
    this.emit(op, a, value & 255, value >> 8 & 255, extras);
  }
  newLabel() {
    return { at: -1, refs: [] };
  }
  /** Binds `label` to the next instruction. */
  bind(label3) {
    label3.at = this.code.length;
    for (const word2 of label3.refs) this.code[word2] = label3.at;
    label3.refs.length = 0;
  }
  /** Adds a protected range; inner ranges must be added before the ones around them. Empty ranges are left out. */
  protect(start2, end2, handler, kind) {
    this.handlers.push(start2, end2, handler, kind);
  }
  /** Whether the last instruction leaves no way to the next address. */
  endsHere(lastPc) {
    const info2 = OPCODE_BY_NUMBER[this.code[lastPc] & 255];
    return info2 !== void 0 && info2.ends;
  }
  finish() {
    return { code: Int32Array.from(this.code), handlers: Int32Array.from(this.handlers), lines: Int32Array.from(this.lines) };
  }
  reference(label3) {
    if (label3.at >= 0) return label3.at;
    label3.refs.push(this.code.length);
    return -1;
  }
  noteLine() {
    const { lines: lines2 } = this;
    const n = lines2.length;
    if (n > 0 && lines2[n - 2] === this.line && lines2[n - 1] === this.column) return;
    lines2.push(this.code.length, this.line, this.column);
  }
};

// vm/bytecode/program.ts
var HANDLES_ERRORS = 0;
var HANDLES_ALL = 1;
var LOW_REGISTERS = 256;
var MAX_REGISTERS = 65536;
var MAX_ARGUMENTS = 255;
function positionOf(fn, pc) {
  const { lines: lines2 } = fn;
  let low = 0;
  let high = lines2.length / 3 - 1;
  while (low < high) {
    const middle2 = low + high + 1 >> 1;
    if (lines2[middle2 * 3] <= pc) low = middle2;
    else high = middle2 - 1;
  }
  return lines2.length === 0 ? { line: 0, column: 0 } : { line: lines2[low * 3 + 1], column: lines2[low * 3 + 2] };
}

// vm/bytecode/position.ts
function lineStarts(text3) {
  const starts = [0];
  for (let at = text3.indexOf("\n"); at >= 0; at = text3.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
function positionAt(starts, offset) {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle2 = low + high + 1 >> 1;
    if (starts[middle2] <= offset) low = middle2;
    else high = middle2 - 1;
  }
  return { line: low + 1, column: offset - starts[low] + 1 };
}

// compiler/emit/builder.ts
var DISCARD = -1;
var VARIABLE_LIMIT = 160;
var Env = class {
  constructor(parent) {
    this.parent = parent;
  }
  parent;
  map = /* @__PURE__ */ new Map();
  get(variable) {
    return this.map.get(variable) ?? this.parent?.get(variable);
  }
  set(variable, location) {
    this.map.set(variable, location);
  }
};
var CodeLimit = class extends Error {
};
var FunctionBuilder = class {
  constructor(program, scope) {
    this.program = program;
    this.scope = scope;
    this.starts = startsOf(scope.module.text);
  }
  program;
  scope;
  encoder = new Encoder();
  env = new Env(null);
  /** Loops, blocks and `ensure`s around the current place, outermost first. */
  controls = [];
  template = null;
  /** Positions stay at the call while a prelude function is being inlined. */
  pinned = false;
  /** Register of the error being handled, for `raise` without arguments and for causes. */
  handled = null;
  top = 0;
  most = 0;
  high = LOW_REGISTERS;
  usesHigh = false;
  /** Registers that hold variables: no half-made value may be put there. */
  variableRegisters = /* @__PURE__ */ new Set();
  starts;
  lastOffset = -1;
  get registers() {
    return this.usesHigh ? this.high : this.most;
  }
  // ---- positions
  /** Instructions written next belong to this place. */
  at(offset) {
    if (offset === this.lastOffset || this.pinned) return;
    this.lastOffset = offset;
    const { line: line3, column } = positionAt(this.starts, offset);
    this.encoder.position(line3, column);
  }
  // ---- registers
  /** A new temporary register; `release` gives it back. */
  temp() {
    const register = this.top++;
    if (this.top > LOW_REGISTERS) throw new CodeLimit("this expression needs too many intermediate values; split it into several statements");
    if (this.top > this.most) this.most = this.top;
    return register;
  }
  mark() {
    return this.top;
  }
  release(mark) {
    for (let register = mark; register < this.top; register++) this.variableRegisters.delete(register);
    this.top = mark;
  }
  /** `dest`, or a temporary when the value is not wanted but must go somewhere. */
  target(dest) {
    return dest === DISCARD ? this.temp() : dest;
  }
  /** A register for a value under construction: `dest` unless a variable lives there that the construction may still read. */
  scratch(dest) {
    return dest === DISCARD || this.variableRegisters.has(dest) ? this.temp() : dest;
  }
  isVariable(register) {
    return this.variableRegisters.has(register);
  }
  // ---- variables
  /** Gives every variable of a scope its place; captured ones get their cell now. */
  enterScope(scope, env) {
    for (const variable of scope.variables) if (variable.copyOf === null) this.place(variable, env);
  }
  /** Places one variable; `register` when a parameter is already there. */
  place(variable, env, register = -1) {
    const { storage } = variable;
    if (storage === "slot") {
      env.set(variable, { kind: "slot", slot: this.program.slotOf(variable) });
      return;
    }
    const at = register >= 0 ? register : this.variableRegister();
    this.variableRegisters.add(at);
    env.set(variable, { kind: storage, register: at });
    if (storage === "cell") this.makeCell(at, register >= 0);
    else if (variable.conditional && register < 0 && variable.scope !== variable.scope.fn.root) this.loadNil(at);
  }
  variableRegister() {
    if (this.top < VARIABLE_LIMIT) return this.temp();
    this.usesHigh = true;
    if (this.high >= MAX_REGISTERS) throw new CodeLimit("this function has too many variables");
    return this.high++;
  }
  makeCell(register, keep2) {
    const mark = this.mark();
    const low = register < LOW_REGISTERS ? register : this.temp();
    if (!keep2) this.encoder.emit(3 /* LOADNIL */, low);
    this.encoder.emit(10 /* NEWCELL */, low, low);
    if (low !== register) this.move(register, low);
    this.release(mark);
  }
  loadNil(register) {
    const mark = this.mark();
    const low = register < LOW_REGISTERS ? register : this.temp();
    this.encoder.emit(3 /* LOADNIL */, low);
    if (low !== register) this.move(register, low);
    this.release(mark);
  }
  /** Gives a loop variable a cell of its own for this iteration. */
  freshCell(variable) {
    const location = this.locate(variable);
    if (location.kind === "cell") this.makeCell(location.register, false);
  }
  locate(variable) {
    const known = this.env.get(variable);
    if (known !== void 0) return known;
    if (variable.storage === "slot") return { kind: "slot", slot: this.program.slotOf(variable) };
    const index = this.captures().indexOf(variable);
    if (index < 0) throw new Error(`variable ${variable.name} is not reachable`);
    return { kind: "capture", index, cell: variable.storage === "cell" };
  }
  /** Captured variables that travel in the closure; slots do not. */
  captures() {
    return capturesOf(this.scope);
  }
  /** Register that holds a variable's value: its own, or a temporary. */
  readVariable(variable) {
    const location = this.locate(variable);
    if (location.kind === "register" && location.register < LOW_REGISTERS) return location.register;
    const register = this.temp();
    this.loadVariable(variable, register);
    return register;
  }
  loadVariable(variable, dest) {
    const location = this.locate(variable);
    switch (location.kind) {
      case "register":
        this.move(dest, location.register);
        break;
      case "cell":
        this.withLow(location.register, (low) => this.encoder.emit(11 /* CELLGET */, dest, low));
        break;
      case "slot":
        this.encoder.emit(13 /* GETSLOT */, dest, 0, 0, [location.slot]);
        break;
      case "capture":
        this.encoder.emit16(9 /* CAPTURE */, dest, location.index);
        if (location.cell) this.encoder.emit(11 /* CELLGET */, dest, dest);
        break;
      default:
        throw new Error(`parameter ${variable.name} is a block`);
    }
  }
  storeVariable(variable, value) {
    const location = this.locate(variable);
    const mark = this.mark();
    switch (location.kind) {
      case "register":
        this.move(location.register, value);
        break;
      case "cell":
        this.withLow(location.register, (low) => this.encoder.emit(12 /* CELLSET */, low, value));
        break;
      case "slot":
        this.encoder.emit(14 /* SETSLOT */, value, 0, 0, [location.slot]);
        break;
      case "capture": {
        const cell = this.temp();
        this.encoder.emit16(9 /* CAPTURE */, cell, location.index);
        this.encoder.emit(12 /* CELLSET */, cell, value);
        break;
      }
      default:
        throw new Error(`parameter ${variable.name} is a block`);
    }
    this.release(mark);
  }
  withLow(register, use) {
    if (register < LOW_REGISTERS) {
      use(register);
      return;
    }
    const mark = this.mark();
    const low = this.temp();
    this.move(low, register);
    use(low);
    this.release(mark);
  }
  move(to, from) {
    if (to === from || to === DISCARD) return;
    if (to < LOW_REGISTERS && from < LOW_REGISTERS) this.encoder.emit(7 /* MOVE */, to, from);
    else this.encoder.emit(8 /* MOVEW */, 0, 0, 0, [to | from << 16]);
  }
  // ---- expressions
  /** Writes `node`; its value goes to `dest`. Temporaries are given back. */
  expr(node, dest) {
    const mark = this.mark();
    this.at(node.start);
    this.program.emitters[node.type](this, node, dest);
    this.release(mark);
  }
  /** Register that holds the value of `node`: a variable's own where that is safe, else a temporary, which the caller releases. */
  operand(node) {
    if (node.type === "Ident") {
      const symbol = this.program.resolution.symbols.get(node);
      if (symbol?.kind === "variable") return this.readVariable(symbol.variable);
    }
    const register = this.temp();
    this.expr(node, register);
    return register;
  }
  /** Like `operand`, but never a variable's own register when one of `later` may assign it. */
  stableOperand(node, later) {
    const register = this.operand(node);
    if (!this.isVariable(register) || !later.some(mayAssign)) return register;
    const copy = this.temp();
    this.move(copy, register);
    return copy;
  }
  /** Statements in order; the last one's value goes to `dest`, nil when there is none. */
  statements(nodes, dest) {
    if (nodes.length === 0) {
      if (dest !== DISCARD) this.encoder.emit(3 /* LOADNIL */, dest);
      return;
    }
    nodes.forEach((node, i) => this.statement(node, i === nodes.length - 1 ? dest : DISCARD));
  }
  statement(node, dest) {
    const symbol = node.type === "Ident" ? this.program.resolution.symbols.get(node) : void 0;
    if (symbol?.kind === "def" || symbol?.kind === "native" && /^[a-z_]/.test(symbol.name)) {
      this.expr({ type: "Call", callee: node, args: [], block: null, start: node.start, end: node.end }, dest);
    } else this.expr(node, dest);
  }
};
function capturesOf(scope) {
  return scope.captures.filter((variable) => variable.storage !== "slot");
}
var PURE = /* @__PURE__ */ new Set(["Nil", "Bool", "Int", "Float", "Str", "Ident", "Lambda"]);
function mayAssign(node) {
  const { type } = node;
  if (PURE.has(type)) return false;
  if (type === "Member") return mayAssign(node.recv);
  if (type === "Binary") return mayAssign(node.left) || mayAssign(node.right);
  if (type === "Index") return [node.recv, ...node.args].some(mayAssign);
  if (type === "Method" || type === "Call") {
    const call3 = node;
    const head = call3.type === "Method" ? call3.recv : call3.callee;
    return call3.block !== null || mayAssign(head) || call3.args.some((arg) => mayAssign(arg.value ?? arg));
  }
  return true;
}
var lastFile = null;
function startsOf(text3) {
  if (lastFile === null || lastFile.text !== text3) lastFile = { text: text3, starts: lineStarts(text3) };
  return lastFile.starts;
}

// compiler/emit/operators.ts
var OPCODE = {
  "+": 20 /* ADD */,
  "-": 21 /* SUB */,
  "*": 22 /* MUL */,
  "/": 23 /* DIV */,
  "//": 24 /* IDIV */,
  "%": 25 /* MOD */,
  "**": 26 /* POW */,
  "<<": 39 /* APPEND */,
  "|": 38 /* UNION */,
  "<": 30 /* LT */,
  "<=": 31 /* LE */,
  ">": 32 /* GT */,
  ">=": 33 /* GE */,
  "==": 34 /* EQ */,
  "!=": 35 /* NE */,
  "=~": 37 /* MATCH */,
  "<=>": 36 /* COMPARE */
};
function emitOperator(b, op, dest, left, right) {
  if (op === "!~") {
    b.encoder.emit(37 /* MATCH */, dest, left, right);
    b.encoder.emit(29 /* NOT */, dest, dest);
  } else b.encoder.emit(OPCODE[op], dest, left, right);
}
function smallInt(node) {
  return node.type === "Int" && typeof node.value === "number" && Math.abs(node.value) < 128 ? node.value : null;
}
function emitBinary(b, node, dest) {
  const chain = [];
  let first2 = node;
  for (; first2.type === "Binary"; first2 = first2.left) chain.push(first2);
  chain.reverse();
  const result = b.target(dest);
  let left = b.stableOperand(first2, chain.map((link2) => link2.right));
  const acc = b.isVariable(result) && chain.length > 1 ? b.temp() : result;
  const mark = b.mark();
  chain.forEach((link2, i) => {
    emitLink(b, link2, i === chain.length - 1 ? result : acc, left);
    left = acc;
    b.release(mark);
  });
}
function emitLink(b, node, dest, left) {
  const small = smallInt(node.right);
  if (small !== null && (node.op === "+" || node.op === "-")) {
    b.at(node.opStart);
    b.encoder.emit(27 /* ADDI */, dest, left, node.op === "+" ? small : -small);
    return;
  }
  const right = b.operand(node.right);
  b.at(node.opStart);
  emitOperator(b, node.op, dest, left, right);
}
function emitLogical(b, node, dest) {
  const { encoder } = b;
  if (dest === DISCARD) {
    const skip = encoder.newLabel();
    jumpIf(b, node.left, node.op === "or", skip);
    b.expr(node.right, DISCARD);
    encoder.bind(skip);
    return;
  }
  const chain = [];
  let first2 = node;
  for (; first2.type === "Logical"; first2 = first2.left) chain.push(first2);
  chain.reverse();
  const value = b.scratch(dest);
  b.expr(first2, value);
  for (const link2 of chain) {
    const skip = encoder.newLabel();
    encoder.emit(link2.op === "and" ? 53 /* JF */ : 54 /* JT */, value, 0, 0, [skip]);
    b.expr(link2.right, value);
    encoder.bind(skip);
  }
  b.move(dest, value);
}
var JUMP_UNLESS = { "<": 57 /* JNLT */, "<=": 58 /* JNLE */, ">": 59 /* JNGT */, ">=": 60 /* JNGE */, "==": 61 /* JNEQ */, "!=": 62 /* JEQ */ };
function jumpIf(b, node, sense, to) {
  const { encoder } = b;
  const mark = b.mark();
  if (node.type === "Unary" && node.op === "not") jumpIf(b, node.operand, !sense, to);
  else if (node.type === "Bool" && node.value === sense) encoder.emit(50 /* JUMP */, 0, 0, 0, [to]);
  else if (node.type === "Bool") return;
  else if (node.type === "Logical" && node.left.type !== "Logical") jumpLogical(b, node, sense, to);
  else if (node.type === "Binary" && !sense && JUMP_UNLESS[node.op] !== void 0) jumpUnlessCompare(b, node, to);
  else {
    const value = b.operand(node);
    b.at(node.start);
    encoder.emit(sense ? 54 /* JT */ : 53 /* JF */, value, 0, 0, [to]);
  }
  b.release(mark);
}
function jumpLogical(b, node, sense, to) {
  if (node.op === "or" === sense) {
    jumpIf(b, node.left, sense, to);
    jumpIf(b, node.right, sense, to);
    return;
  }
  const skip = b.encoder.newLabel();
  jumpIf(b, node.left, !sense, skip);
  jumpIf(b, node.right, sense, to);
  b.encoder.bind(skip);
}
function jumpUnlessCompare(b, node, to) {
  const { left, right, op } = node;
  const a = b.stableOperand(left, [right]);
  if (op === "<" && right.type === "Int" && typeof right.value === "number" && Math.abs(right.value) < 32768) {
    b.at(node.opStart);
    b.encoder.emit16(63 /* JNLTI */, a, right.value, [to]);
    return;
  }
  const c = b.operand(right);
  b.at(node.opStart);
  b.encoder.emit(JUMP_UNLESS[op], a, c, 0, [to]);
}
function emitUnary(b, node, dest) {
  const value = b.operand(node.operand);
  const result = b.target(dest);
  b.at(node.start);
  if (node.op === "not") b.encoder.emit(29 /* NOT */, result, value);
  else if (node.op === "-") b.encoder.emit(28 /* NEG */, result, value);
  else b.encoder.emit(27 /* ADDI */, result, value, 0);
}
var operatorEmitters = {
  Binary: emitBinary,
  Logical: emitLogical,
  Unary: emitUnary,
  Await: (b, node, dest) => {
    const value = b.operand(node.operand);
    b.at(node.start);
    b.encoder.emit(74 /* NATIVE */, b.target(dest), 0, 1, [b.program.native("await")], [value]);
  }
};

// compiler/emit/patterns.ts
function bindPattern(b, pattern, value) {
  if (pattern.type === "GroupPattern") takeApart(b, pattern.items, value, (item) => item.type === "RestPattern", (item, part) => bindPattern(b, item, part));
  else {
    const symbol = b.program.resolution.symbols.get(pattern);
    if (symbol?.kind === "variable") b.storeVariable(symbol.variable, value);
  }
}
function takeApart(b, items2, value, isRest, bind) {
  const rest = items2.findIndex(isRest);
  const before = rest < 0 ? items2.length : rest;
  const behind = rest < 0 ? 0 : items2.length - rest - 1;
  items2.forEach((item, i) => {
    const mark = b.mark();
    const part = b.temp();
    if (i < before) b.encoder.emit(113 /* ITEM */, part, value, i);
    else if (i === rest) b.encoder.emit(114 /* REST */, part, value, before, [behind]);
    else b.encoder.emit(115 /* ITEMEND */, part, value, i - rest - 1, [before | behind << 8]);
    bind(item, part);
    b.release(mark);
  });
}

// compiler/emit/assign.ts
function variableOf(b, node) {
  const symbol = b.program.resolution.symbols.get(node);
  if (symbol?.kind !== "variable") throw new Error("assignment to no variable");
  return symbol.variable;
}
function assignVariable(b, variable, value) {
  const location = b.locate(variable);
  if (location.kind === "register" && location.register < 256) {
    b.expr(value, location.register);
    return location.register;
  }
  const register = b.operand(value);
  b.storeVariable(variable, register);
  return register;
}
function emitAssign(b, node, dest) {
  const { target } = node;
  if (target.type === "Ident") {
    b.move(dest, assignVariable(b, variableOf(b, target), node.value));
    return;
  }
  const place = openPlace(b, target, [node.value]);
  const value = b.operand(node.value);
  place.store(value);
  b.move(dest, value);
}
function openPlace(b, target, later) {
  const { encoder } = b;
  if (target.type === "Member") {
    const recv3 = b.stableOperand(target.recv, later);
    const name2 = b.program.string(target.name);
    return {
      load: (dest) => {
        b.at(target.nameStart);
        encoder.emit(78 /* GETF */, dest, recv3, 0, [name2]);
      },
      store: (value) => {
        b.at(target.nameStart);
        encoder.emit(79 /* SETF */, recv3, value, 0, [name2]);
      }
    };
  }
  const recv2 = b.stableOperand(target.recv, [...target.args, ...later]);
  const index = b.stableOperand(target.args[0], later);
  return {
    load: (dest) => {
      b.at(target.start);
      encoder.emit(80 /* INDEX */, dest, recv2, index);
    },
    store: (value) => {
      b.at(target.start);
      encoder.emit(81 /* SETINDEX */, recv2, index, value);
    }
  };
}
function emitOpAssign(b, node, dest) {
  if (node.target.type === "Ident") {
    const variable = variableOf(b, node.target);
    if (node.op === "||" || node.op === "&&") logicalAssign(b, node, dest, variablePlace(b, variable));
    else opAssignVariable(b, node, variable, dest);
    return;
  }
  const place = openPlace(b, node.target, [node.value]);
  if (node.op === "||" || node.op === "&&") {
    logicalAssign(b, node, dest, place);
    return;
  }
  const value = b.temp();
  place.load(value);
  const right = b.operand(node.value);
  b.at(node.opStart);
  emitOperator(b, node.op, value, value, right);
  place.store(value);
  b.move(dest, value);
}
function variablePlace(b, variable) {
  return { load: (dest) => b.loadVariable(variable, dest), store: (value) => b.storeVariable(variable, value) };
}
function opAssignVariable(b, node, variable, dest) {
  const op = node.op;
  const location = b.locate(variable);
  const own = location.kind === "register" && location.register < 256 ? location.register : null;
  const current = own !== null ? b.stableOperand(node.target, [node.value]) : b.temp();
  if (own === null) b.loadVariable(variable, current);
  const result = own ?? current;
  const { value } = node;
  if ((op === "+" || op === "-") && value.type === "Int" && typeof value.value === "number" && Math.abs(value.value) < 128) {
    b.at(node.opStart);
    b.encoder.emit(27 /* ADDI */, result, current, op === "+" ? value.value : -value.value);
  } else {
    const right = b.operand(value);
    b.at(node.opStart);
    emitOperator(b, op, result, current, right);
  }
  if (own === null) b.storeVariable(variable, result);
  b.move(dest, result);
}
function logicalAssign(b, node, dest, place) {
  const { encoder } = b;
  const value = b.temp();
  const skip = encoder.newLabel();
  place.load(value);
  encoder.emit(node.op === "||" ? 54 /* JT */ : 53 /* JF */, value, 0, 0, [skip]);
  b.expr(node.value, value);
  place.store(value);
  encoder.bind(skip);
  b.move(dest, value);
}
function emitMultiAssign(b, node, dest) {
  const value = b.temp();
  b.expr(node.value, value);
  assignTargets(b, node.targets, value);
  b.move(dest, value);
}
function assignTargets(b, targets, value) {
  takeApart(b, targets, value, (target) => target.type === "SplatTarget", (target, part) => assignTarget(b, target, part));
}
function assignTarget(b, target, value) {
  switch (target.type) {
    case "Ident":
      b.storeVariable(variableOf(b, target), value);
      break;
    case "SplatTarget":
      if (target.target !== null) assignTarget(b, target.target, value);
      break;
    case "GroupTarget":
      assignTargets(b, target.targets, value);
      break;
    default:
      openPlace(b, target, []).store(value);
  }
}
function emitHashDestructure(b, node, dest) {
  const hash2 = b.temp();
  b.expr(node.value, hash2);
  b.encoder.emit(74 /* NATIVE */, hash2, 0, 1, [b.program.native("%fields")], [hash2]);
  for (const { key, name: name2 } of node.entries) {
    const mark = b.mark();
    const part = b.temp();
    b.encoder.emit(1 /* LOADK */, part, 0, 0, [b.program.string(key)]);
    b.encoder.emit(80 /* INDEX */, part, hash2, part);
    b.storeVariable(variableOf(b, name2), part);
    b.release(mark);
  }
  b.move(dest, hash2);
}
function emitConst(b, node, dest) {
  if (!b.program.resolution.reassigned.has(node)) {
    b.move(dest, assignVariable(b, variableOf(b, node.name), node.value));
    return;
  }
  b.expr(node.value, DISCARD);
  const name2 = b.temp();
  b.encoder.emit(1 /* LOADK */, name2, 0, 0, [b.program.string(node.name.name)]);
  b.at(node.start);
  b.encoder.emit(74 /* NATIVE */, name2, 0, 1, [b.program.native("%constant_again")], [name2]);
  if (dest !== DISCARD) b.encoder.emit(3 /* LOADNIL */, dest);
}
var assignEmitters = {
  Assign: emitAssign,
  OpAssign: emitOpAssign,
  MultiAssign: emitMultiAssign,
  HashDestructure: emitHashDestructure,
  ConstDecl: emitConst
};

// vm/bytecode/nearest.ts
function nearest(name2, candidates) {
  const limit = name2.length <= 3 ? 1 : name2.length <= 7 ? 2 : 3;
  let best = null;
  let least = limit + 1;
  for (const candidate of candidates) {
    if (candidate === name2 || Math.abs(candidate.length - name2.length) >= least) continue;
    const distance = editDistance(name2, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}
function editDistance(a, b) {
  let before = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2] + 1);
      row.push(least);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length];
}

// compiler/resolve/names.ts
function methodName(text3) {
  return text3.replace(/_q$/, "?").replace(/_b$/, "!");
}
var Names = class {
  constructor(natives, prelude) {
    this.natives = natives;
    if (prelude === null) return;
    for (const [name2, symbol] of prelude.symbols) {
      if (symbol.kind !== "def") continue;
      const match = /^(.+)__(\d)$/.exec(name2);
      if (match === null) this.functions.set(name2, symbol);
      else this.templates.set(`${methodName(match[1])}/${match[2]}`, symbol);
    }
  }
  natives;
  /** Prelude functions `method__n`, by method name and number of arguments before the block. */
  templates = /* @__PURE__ */ new Map();
  functions = /* @__PURE__ */ new Map();
  /** The prelude function for a call of method `name` with `count` arguments and a block, or null. */
  template(name2, count) {
    return this.templates.get(`${name2}/${count}`) ?? null;
  }
  /** What a name that is no visible variable of the file means. */
  lookup(name2, module, scope) {
    const own = moduleSymbol(name2, module, /* @__PURE__ */ new Set());
    if (own !== null) return own;
    const fn = this.functions.get(name2);
    if (fn !== void 0) return fn;
    if (module.isPrelude && name2.startsWith("__")) return { kind: "native", name: `%${name2.slice(2)}` };
    if (this.natives.has(name2)) return { kind: "native", name: name2 };
    return { kind: "unknown", name: name2, near: nearest(name2, this.visible(module, scope)) };
  }
  *visible(module, scope) {
    for (let s = scope; s !== null; s = s.parent) yield* s.names.keys();
    yield* module.symbols.keys();
    for (const other of module.merged) yield* [...other.symbols.keys(), ...other.main.root.names.keys()];
    yield* this.functions.keys();
    for (const native2 of this.natives) if (!native2.startsWith("%")) yield native2;
  }
};
function moduleSymbol(name2, module, seen) {
  if (seen.has(module)) return null;
  seen.add(module);
  const own = module.symbols.get(name2);
  if (own !== void 0) return own;
  for (const other of module.merged) {
    const variable = other.main.root.names.get(name2);
    if (variable !== void 0) {
      variable.captured = true;
      variable.global = true;
      return { kind: "variable", variable };
    }
    const symbol = moduleSymbol(name2, other, seen);
    if (symbol !== null) return symbol;
  }
  return null;
}
function mayBeFunction(arg) {
  return arg.type === "Ident" || arg.type === "Call" || arg.type === "Method" || arg.type === "Member" || arg.type === "Index" || arg.type === "If";
}

// compiler/spine.ts
function leftOf(node) {
  switch (node.type) {
    case "Binary":
      return node.left;
    case "Logical":
      return node.left;
    case "Method":
    case "Member":
    case "Index":
      return node.recv;
    case "Call":
      return node.callee;
    default:
      return null;
  }
}
function spineOf(node) {
  const chain = [];
  for (let next = node; next !== null; next = leftOf(next)) chain.push(next);
  return chain.reverse();
}

// compiler/emit/controls.ts
var RETRY = "%retry";

// compiler/emit/control.ts
function emitExit(b, exit, value) {
  for (let i = b.controls.length - 1; i > exit.index; i--) {
    const control = b.controls[i];
    if (control.kind !== "ensure") continue;
    let n = control.exits.findIndex((e) => e.kind === exit.kind && e.index === exit.index);
    if (n < 0) n = control.exits.push(exit) - 1;
    b.move(control.value, value);
    b.encoder.emit16(2 /* LOADI */, control.selector, n + 1);
    b.encoder.emit(50 /* JUMP */, 0, 0, 0, [control.slow]);
    return;
  }
  emitFinalExit(b, exit, value);
}
function emitFinalExit(b, exit, value) {
  if (exit.kind === "return") {
    b.encoder.emit(82 /* RETURN */, value);
    return;
  }
  if (exit.kind === "template") {
    const template = b.template;
    b.move(template.dest, value);
    b.encoder.emit(50 /* JUMP */, 0, 0, 0, [template.done]);
    return;
  }
  const control = b.controls[exit.index];
  if (control.kind === "block") {
    b.move(exit.kind === "next" ? control.nextDest : control.doneDest, value);
    b.encoder.emit(50 /* JUMP */, 0, 0, 0, [exit.kind === "next" ? control.next : control.done]);
  } else if (exit.kind === "break") {
    b.move(control.dest, value);
    b.encoder.emit(50 /* JUMP */, 0, 0, 0, [control.done]);
  } else if (control.next !== null) b.encoder.emit(50 /* JUMP */, 0, 0, 0, [control.next]);
  else b.encoder.emit(51 /* LOOP */, 0, 0, 0, [control.head]);
}
function targetOf(b, label3) {
  for (let i = b.controls.length - 1; i >= 0; i--) {
    const control = b.controls[i];
    if (control.kind === "ensure" || control.kind === "loop" && control.label === RETRY) continue;
    if (label3 === null || control.kind === "loop" && control.label === label3) return i;
  }
  return -1;
}
function emitLoop(b, label3, dest, body2) {
  const { encoder } = b;
  const loop3 = {
    kind: "loop",
    label: label3,
    head: { at: encoder.pc, refs: [] },
    next: null,
    exhausted: encoder.newLabel(),
    done: encoder.newLabel(),
    dest
  };
  encoder.emit(52 /* LOOPHEAD */, 0, 0, 0, [loop3.exhausted]);
  b.controls.push(loop3);
  body2(loop3);
  encoder.emit(51 /* LOOP */, 0, 0, 0, [loop3.head]);
  b.controls.pop();
  encoder.bind(loop3.exhausted);
  if (dest !== DISCARD) encoder.emit(3 /* LOADNIL */, dest);
  encoder.bind(loop3.done);
}

// compiler/emit/handlers.ts
function emitBody(b, body2, dest) {
  if (body2.ensure !== null) emitEnsure(b, body2, body2.ensure, dest);
  else emitGuarded(b, body2, dest);
}
function emitGuarded(b, body2, dest) {
  if (body2.rescues.length === 0) {
    b.statements(body2.stmts, body2.else === null ? dest : DISCARD);
    if (body2.else !== null) b.statements(body2.else, dest);
    return;
  }
  if (usesRetry(body2)) emitRetryable(b, body2, dest);
  else emitRescues(b, body2, dest, b.encoder.newLabel());
}
function emitRetryable(b, body2, dest) {
  const { encoder } = b;
  const end2 = encoder.newLabel();
  const loop3 = { kind: "loop", label: RETRY, head: { at: encoder.pc, refs: [] }, next: null, exhausted: end2, done: end2, dest };
  encoder.emit(52 /* LOOPHEAD */, 0, 0, 0, [end2]);
  b.controls.push(loop3);
  emitRescues(b, body2, dest, encoder.newLabel());
  b.controls.pop();
  encoder.emit(50 /* JUMP */, 0, 0, 0, [end2]);
  encoder.bind(end2);
}
function emitRescues(b, body2, dest, done) {
  const { encoder } = b;
  const start2 = encoder.pc;
  b.statements(body2.stmts, body2.else === null ? dest : DISCARD);
  const end2 = encoder.pc;
  const otherwise = encoder.newLabel();
  if (end2 === start2) {
    if (body2.else !== null) b.statements(body2.else, dest);
    encoder.bind(done);
    return;
  }
  encoder.emit(50 /* JUMP */, 0, 0, 0, [body2.else === null ? done : otherwise]);
  encoder.protect(start2, end2, encoder.pc, HANDLES_ERRORS);
  emitClauses(b, body2, dest, done);
  if (body2.else !== null) {
    encoder.bind(otherwise);
    b.statements(body2.else, dest);
  }
  encoder.bind(done);
}
function emitClauses(b, body2, dest, done) {
  const { encoder } = b;
  const mark = b.mark();
  const error = b.temp();
  encoder.emit(85 /* CATCH */, error, 0);
  const outer = b.handled;
  b.handled = error;
  for (const rescue3 of body2.rescues) {
    const next = encoder.newLabel();
    if (rescue3.types.length > 0) emitTypeTests(b, rescue3.types, error, next);
    const symbol = rescue3.name === null ? void 0 : b.program.resolution.symbols.get(rescue3.name);
    if (symbol?.kind === "variable") b.storeVariable(symbol.variable, error);
    b.statements(rescue3.body, dest);
    encoder.emit(50 /* JUMP */, 0, 0, 0, [done]);
    encoder.bind(next);
  }
  encoder.emit(83 /* THROW */, error);
  b.handled = outer;
  b.release(mark);
}
function emitTypeTests(b, types2, error, next) {
  const { encoder } = b;
  const matched = encoder.newLabel();
  for (const type of types2) {
    const mark = b.mark();
    const test = b.temp();
    b.expr(type, test);
    b.at(type.start);
    encoder.emit(40 /* MATCHES */, test, test, error);
    encoder.emit(54 /* JT */, test, 0, 0, [matched]);
    b.release(mark);
  }
  encoder.emit(50 /* JUMP */, 0, 0, 0, [next]);
  encoder.bind(matched);
}
function emitEnsure(b, body2, cleanup, dest) {
  const { encoder } = b;
  const after = encoder.newLabel();
  const result = b.target(dest);
  const control = { kind: "ensure", selector: b.temp(), value: b.temp(), slow: encoder.newLabel(), exits: [] };
  const value = b.isVariable(result) ? b.temp() : result;
  const start2 = encoder.pc;
  b.controls.push(control);
  emitGuarded(b, body2, value);
  b.controls.pop();
  const end2 = encoder.pc;
  b.statements(cleanup, DISCARD);
  b.move(result, value);
  if (end2 === start2) return;
  encoder.emit(50 /* JUMP */, 0, 0, 0, [after]);
  encoder.protect(start2, end2, encoder.pc, HANDLES_ALL);
  encoder.emit(85 /* CATCH */, control.value, 1);
  encoder.emit16(2 /* LOADI */, control.selector, 0);
  encoder.bind(control.slow);
  b.statements(cleanup, DISCARD);
  emitExits(b, control);
  encoder.bind(after);
}
function emitExits(b, control) {
  const { encoder } = b;
  control.exits.forEach((exit, n) => {
    const mark = b.mark();
    const number2 = b.temp();
    const next = encoder.newLabel();
    encoder.emit16(2 /* LOADI */, number2, n + 1);
    encoder.emit(61 /* JNEQ */, control.selector, number2, 0, [next]);
    emitExit(b, exit, control.value);
    encoder.bind(next);
    b.release(mark);
  });
  encoder.emit(84 /* RETHROW */, control.value);
}
function usesRetry(body2) {
  const stack = body2.rescues.map((rescue3) => rescue3.body);
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== "object") continue;
    const { type } = item;
    if (type === "Retry") return true;
    if (type !== "Def" && type !== "Lambda") stack.push(...Object.values(item));
  }
  return false;
}
function emitRetry(b, node) {
  for (let i = b.controls.length - 1; i >= 0; i--) {
    const control = b.controls[i];
    if (control.kind !== "loop" || control.label !== RETRY) continue;
    const nothing = b.temp();
    b.encoder.emit(3 /* LOADNIL */, nothing);
    emitExit(b, { kind: "next", index: i }, nothing);
    return;
  }
  b.program.error("stray-retry", b.scope.module, node, "`retry` outside a `rescue` clause", "it runs the body that failed again, so it must stand in its `rescue`");
}
function emitRaise(b, node) {
  const [what, message] = node.args;
  const error = b.temp();
  if (what === void 0) {
    if (b.handled === null) b.program.error("stray-raise", b.scope.module, node, "`raise` without a value outside a `rescue` clause", 'say what to raise: raise "message"');
    else b.encoder.emit(83 /* THROW */, b.handled);
    return;
  }
  b.expr(what, error);
  if (message !== void 0) {
    const text3 = b.operand(message);
    b.at(node.start);
    b.encoder.emit(71 /* CALLV */, error, error, 1, [], [text3]);
  }
  b.at(node.start);
  if (b.handled !== null) b.encoder.emit(74 /* NATIVE */, error, 0, 2, [b.program.native("%caused")], [error, b.handled]);
  b.encoder.emit(83 /* THROW */, error);
}
var handlerEmitters = {
  Begin: (b, node, dest) => emitBody(b, node.body, dest),
  Retry: emitRetry,
  Raise: emitRaise
};

// compiler/emit/functions.ts
function kindOf(param2) {
  if (param2.kind === "rest") return "rest";
  if (param2.kind === "named") return param2.default === null ? "named" : "namedOptional";
  return param2.default === null ? "required" : "optional";
}
function paramProto(param2, module) {
  const text3 = param2.default === null ? "" : module.text.slice(param2.default.start, param2.default.end);
  return { name: param2.pattern === null ? param2.name : "(\u2026)", kind: kindOf(param2), defaultText: text3 };
}
function writeFunction(program, index, source) {
  const { scope, params, node } = source;
  const b = new FunctionBuilder(program, scope);
  try {
    b.at(node.start);
    placeParameters(b, params);
    placeCopies(b, scope);
    source.write(b);
    if (capturesOf(scope).length > MAX_ARGUMENTS) throw new CodeLimit(`this function uses more than ${MAX_ARGUMENTS} variables of the functions around it`);
    if (params.length > MAX_ARGUMENTS) throw new CodeLimit(`more than ${MAX_ARGUMENTS} parameters`);
  } catch (error) {
    if (!(error instanceof CodeLimit)) throw error;
    program.error("too-complex", scope.module, node, error.message);
    return;
  }
  program.program.functions[index] = {
    name: source.name,
    kind: source.kind,
    source: scope.module.index,
    params: params.map((param2) => paramProto(param2, scope.module)),
    registers: Math.max(b.registers, params.length),
    captures: spawnSources(scope).length + capturesOf(scope).length,
    doc: source.doc,
    ...b.encoder.finish()
  };
}
function placeParameters(b, params) {
  const registers = params.map(() => b.temp());
  const { symbols } = b.program.resolution;
  const own = params.map((param2) => symbols.get(param2));
  const placed = /* @__PURE__ */ new Set();
  params.forEach((param2, i) => {
    if (param2.default !== null) emitDefault(b, param2.default, registers[i]);
    const symbol = own[i];
    if (symbol?.kind === "variable") {
      b.place(symbol.variable, b.env, registers[i]);
      placed.add(symbol.variable);
    }
  });
  for (const variable of b.scope.root.variables) if (!placed.has(variable) && variable.copyOf === null) b.place(variable, b.env, implicitRegister(b, variable));
  params.forEach((param2, i) => {
    if (param2.pattern !== null) bindPattern(b, { type: "GroupPattern", items: param2.pattern, start: param2.start, end: param2.end }, registers[i]);
  });
}
function implicitRegister(b, variable) {
  for (const implicit of b.program.resolution.implicit.values()) if (implicit === variable) return 0;
  return -1;
}
function emitDefault(b, value, register) {
  const given2 = b.encoder.newLabel();
  b.encoder.emit(56 /* JGIVEN */, register, 0, 0, [given2]);
  b.expr(value, register);
  b.encoder.bind(given2);
}
function spawnSources(scope) {
  return scope.kind === "spawn" ? scope.root.variables.filter((variable) => variable.copyOf !== null) : [];
}
function placeCopies(b, scope) {
  spawnSources(scope).forEach((variable, i) => {
    const register = b.temp();
    b.encoder.emit16(9 /* CAPTURE */, register, i);
    b.place(variable, b.env, register);
  });
}
function emitClosure(b, source, dest) {
  const index = b.program.reserve((at) => writeFunction(b.program, at, source));
  const copies = spawnSources(source.scope).map((variable) => b.readVariable(variable.copyOf));
  const captured = capturesOf(source.scope).map((variable) => captureRegister(b, variable));
  const registers = [...copies, ...captured];
  if (registers.length > MAX_ARGUMENTS) throw new CodeLimit(`this function uses more than ${MAX_ARGUMENTS} variables of the functions around it`);
  b.at(source.node.start);
  b.encoder.emit(90 /* CLOSURE */, dest, 0, registers.length, [index], registers);
}
function captureRegister(b, variable) {
  const location = b.locate(variable);
  if ((location.kind === "cell" || location.kind === "register") && location.register < 256) return location.register;
  const register = b.temp();
  if (location.kind === "capture") b.encoder.emit16(9 /* CAPTURE */, register, location.index);
  else if (location.kind === "cell") b.move(register, location.register);
  else b.loadVariable(variable, register);
  return register;
}
function blockParams(b, block2) {
  if (block2.params !== null) return block2.params;
  const implicit = b.program.resolution.implicit.has(block2);
  return implicit ? [{ name: "it", kind: "plain", default: null, pattern: null, annotation: null, start: block2.start, end: block2.start }] : [];
}
function blockSource(b, block2) {
  const scope = b.program.resolution.functions.get(block2);
  return { name: "block", kind: "block", scope, params: blockParams(b, block2), write: (inner) => writeBody(inner, block2.body), doc: "", node: block2 };
}
function writeBody(b, body2) {
  const result = b.temp();
  emitBody(b, body2, result);
  b.encoder.emit(82 /* RETURN */, result);
}
function defIndex(program, symbol) {
  const { node } = symbol;
  const scope = program.resolution.functions.get(node);
  return program.def(symbol, (index) => {
    const write = node.type === "Def" ? (b) => writeBody(b, node.body) : (b) => writeConstructor(b, symbol, node);
    writeFunction(program, index, { name: displayName(symbol), kind: "def", scope, params: symbol.params, write, doc: node.doc, node });
  });
}
function displayName(symbol) {
  return symbol.module.isPrelude ? symbol.name.replace(/__\d$/, "").replace(/_q$/, "?") : symbol.name;
}
function writeConstructor(b, symbol, node) {
  const registers = node.fields.map((field) => {
    const own = b.program.resolution.symbols.get(field);
    return own?.kind === "variable" ? b.readVariable(own.variable) : 0;
  });
  const result = b.temp();
  b.encoder.emit(99 /* NEWREC */, result, 0, registers.length, [recordIndex(b.program, symbol, node)], registers);
  b.encoder.emit(82 /* RETURN */, result);
}
function recordIndex(program, ctor, node) {
  return program.type({ kind: "type", name: node.name.name, module: ctor.module, node }, () => {
    const type = { kind: "record", name: node.name.name, fields: node.fields.map((f) => f.name), ctor: 0 };
    program.queue.push(() => type.ctor = defIndex(program, ctor));
    return type;
  });
}
var functionEmitters = {
  Lambda: (b, node, dest) => {
    const scope = b.program.resolution.functions.get(node);
    emitClosure(b, { name: "lambda", kind: "lambda", scope, params: node.params, write: (inner) => writeBody(inner, node.body), doc: "", node }, b.target(dest));
  },
  Def: declaration,
  RecordDecl: declaration,
  EnumDecl: declaration,
  ErrorDecl: declaration
};
function declaration(b, _node, dest) {
  if (dest >= 0) b.encoder.emit(3 /* LOADNIL */, dest);
}
function moduleMain(program, module) {
  return program.main(module, (index) => {
    const { tree, main } = module;
    const write = (b) => {
      const result = b.temp();
      b.statements(tree.stmts, result);
      b.encoder.emit(82 /* RETURN */, result);
    };
    writeFunction(program, index, { name: "main", kind: "main", scope: main, params: [], write, doc: "", node: { start: 0, end: 0 } });
  });
}

// compiler/emit/arguments.ts
function hasSplat(args) {
  return args.some((arg) => arg.type === "Splat");
}
function emitArguments(b, args, block2) {
  const out = { positional: [], named: [], block: null };
  if (args.length >= MAX_ARGUMENTS) throw new CodeLimit(`a call has more than ${MAX_ARGUMENTS - 1} arguments; pass a vector`);
  args.forEach((arg, i) => {
    const later = args.slice(i + 1).map((a) => a.type === "NamedArg" || a.type === "Splat" ? a.value : a);
    if (arg.type === "NamedArg") out.named.push({ name: arg.name, register: b.stableOperand(arg.value, later) });
    else out.positional.push(b.stableOperand(arg, later));
  });
  if (block2 !== null) {
    out.block = b.temp();
    emitClosure(b, blockSource(b, block2), out.block);
  }
  return out;
}
function flatten(b, args) {
  const registers = [...args.positional, ...args.named.map((arg) => arg.register)];
  const names = args.named.map((arg) => arg.name);
  if (args.block !== null) {
    registers.push(args.block);
    names.push("&");
  }
  return { registers, names: names.length === 0 ? null : b.program.nameList(names) };
}
function emitSplatted(b, args, block2) {
  const { encoder } = b;
  const items2 = args.filter((arg) => arg.type !== "NamedArg" && !(arg.type === "Splat" && arg.double));
  const pairs = args.filter((arg) => arg.type === "NamedArg" || arg.type === "Splat" && arg.double);
  const vector2 = b.temp();
  const named2 = b.temp();
  b.expr({ type: "Vector", items: items2, start: 0, end: 0 }, vector2);
  if (pairs.length === 0 && block2 === null) {
    encoder.emit(3 /* LOADNIL */, named2);
    return { vector: vector2, named: named2 };
  }
  const entries = pairs.map((arg) => arg.type === "Splat" ? arg : {
    type: "Pair",
    key: { type: "Str", value: arg.name, start: arg.start, end: arg.end },
    value: arg.value,
    start: arg.start,
    end: arg.end
  });
  b.expr({ type: "Hash", entries, start: 0, end: 0 }, named2);
  if (block2 !== null) {
    const mark = b.mark();
    const key = b.temp();
    const value = b.temp();
    encoder.emit(1 /* LOADK */, key, 0, 0, [b.program.string("&")]);
    emitClosure(b, blockSource(b, block2), value);
    encoder.emit(81 /* SETINDEX */, named2, key, value);
    b.release(mark);
  }
  return { vector: vector2, named: named2 };
}
function bindStatically(b, symbol, args) {
  const { params } = symbol;
  const out = new Array(params.length).fill(null);
  if (!fillByName(params, out, args) || !fillByPosition(b, params, out, args.positional)) return null;
  for (let i = 0; i < params.length; i++) if (out[i] === null && params[i].default === null) return null;
  return out.map((register) => register ?? absent(b));
}
function fillByName(params, out, args) {
  if (args.block !== null) {
    const at = params.findLastIndex((param2) => param2.kind === "plain");
    if (at < 0) return false;
    out[at] = args.block;
  }
  for (const { name: name2, register } of args.named) {
    const at = params.findIndex((param2) => param2.name === name2 && param2.kind !== "rest");
    if (at < 0 || out[at] !== null) return false;
    out[at] = register;
  }
  return true;
}
function fillByPosition(b, params, out, positional) {
  let next = 0;
  for (let i = 0; i < params.length; i++) {
    const { kind } = params[i];
    if (kind === "rest") {
      const rest = b.temp();
      const values = positional.slice(next);
      b.encoder.emit(91 /* VECTOR */, rest, 0, values.length, [], values);
      out[i] = rest;
      next = Math.max(next, positional.length);
    } else if (kind === "plain" && next < positional.length) {
      if (out[i] !== null) return false;
      out[i] = positional[next++];
    }
  }
  return next >= positional.length;
}
function absent(b) {
  const register = b.temp();
  b.encoder.emit(6 /* ABSENT */, register);
  return register;
}

// compiler/emit/inline.ts
function emitTemplate(b, template, method2, args, block2, dest) {
  const node = template.node;
  const scope = b.program.resolution.functions.get(node);
  const done = b.encoder.newLabel();
  const outer = { env: b.env, template: b.template, pinned: b.pinned };
  const env = new Env(null);
  const params = node.params.map((param2) => variableAt(b, param2));
  args.forEach((register, i) => env.set(params[i], { kind: "register", register }));
  const inline = { block: block2, env: outer.env, template: outer.template, done, dest };
  env.set(params[params.length - 1], { kind: "block", inline });
  for (const variable of scope.root.variables) if (!params.includes(variable)) b.place(variable, env);
  b.env = env;
  b.template = { done, dest, method: method2, depth: b.controls.length };
  b.pinned = true;
  b.statements(node.body.stmts, dest);
  b.env = outer.env;
  b.template = outer.template;
  b.pinned = outer.pinned;
  b.encoder.bind(done);
}
function variableAt(b, node) {
  const symbol = b.program.resolution.symbols.get(node);
  if (symbol?.kind !== "variable") throw new Error("parameter without a variable");
  return symbol.variable;
}
function emitBlockCall(b, inline, args, dest) {
  const { block: block2 } = inline;
  const outer = { env: b.env, template: b.template, pinned: b.pinned };
  const control = { kind: "block", next: b.encoder.newLabel(), nextDest: dest, done: inline.done, doneDest: inline.dest };
  const mark = b.mark();
  b.env = new Env(inline.env);
  b.template = inline.template;
  b.pinned = inline.template !== null && outer.pinned && b.scope.module.isPrelude;
  b.controls.push(control);
  enterBlock(b, block2, args);
  emitBody(b, block2.body, dest);
  b.controls.pop();
  b.env = outer.env;
  b.template = outer.template;
  b.pinned = outer.pinned;
  b.release(mark);
  b.encoder.bind(control.next);
}
function enterBlock(b, block2, args) {
  const scope = b.program.resolution.scopes.get(block2);
  const params = block2.params ?? [];
  const implicit = b.program.resolution.implicit.get(block2);
  const apart = args.length === 1 && (params.length > 1 || params.length === 1 && params[0].kind === "rest");
  const aliases = /* @__PURE__ */ new Map();
  if (implicit !== void 0 && args.length > 0) aliases.set(implicit, args[0]);
  if (!apart) params.forEach((param2, i) => {
    if (param2.pattern === null && param2.kind === "plain" && i < args.length) aliases.set(variableAt(b, param2), args[i]);
  });
  for (const variable of scope.variables) {
    const alias = aliases.get(variable);
    if (alias !== void 0 && variable.storage === "register" && variable.assignments === 1) b.place(variable, b.env, alias);
    else b.place(variable, b.env);
  }
  if (implicit !== void 0 && args.length > 0) copyUnlessThere(b, implicit, args[0]);
  if (apart) bindApart(b, params, args[0]);
  else bindEach(b, params, args);
}
function copyUnlessThere(b, variable, register) {
  const location = b.locate(variable);
  if (location.kind !== "register" || location.register !== register) b.storeVariable(variable, register);
}
function bindParam(b, param2, register) {
  if (param2.pattern !== null) bindPattern(b, { type: "GroupPattern", items: param2.pattern, start: param2.start, end: param2.end }, register);
  else copyUnlessThere(b, variableAt(b, param2), register);
}
function bindApart(b, params, value) {
  takeApart(b, params, value, (param2) => param2.kind === "rest", (param2, part) => {
    if (param2.default !== null) {
      const { encoder } = b;
      const missing2 = encoder.newLabel();
      const done = encoder.newLabel();
      encoder.emit(55 /* JNIL */, part, 0, 0, [missing2]);
      encoder.emit(50 /* JUMP */, 0, 0, 0, [done]);
      encoder.bind(missing2);
      b.expr(param2.default, part);
      encoder.bind(done);
    }
    bindParam(b, param2, part);
  });
}
function bindEach(b, params, args) {
  params.forEach((param2, i) => {
    const mark = b.mark();
    if (param2.kind === "rest") {
      const rest = b.temp();
      const values = args.slice(i);
      b.encoder.emit(91 /* VECTOR */, rest, 0, values.length, [], values);
      bindParam(b, param2, rest);
    } else if (i < args.length) bindParam(b, param2, args[i]);
    else {
      const value = b.temp();
      b.encoder.emit(param2.default === null ? 3 /* LOADNIL */ : 6 /* ABSENT */, value);
      if (param2.default !== null) emitDefault(b, param2.default, value);
      bindParam(b, param2, value);
    }
    b.release(mark);
  });
}
function emitLoopBlock(b, block2, dest) {
  emitLoop(b, null, dest, () => {
    const outer = b.env;
    const mark = b.mark();
    b.env = new Env(outer);
    enterBlock(b, block2, []);
    emitBody(b, block2.body, -1);
    b.env = outer;
    b.release(mark);
  });
}

// compiler/emit/calls.ts
function emitSymbol(b, symbol, node, dest) {
  const { encoder, program } = b;
  const result = b.target(dest);
  b.at(node.start);
  switch (symbol.kind) {
    case "variable":
      b.loadVariable(symbol.variable, result);
      break;
    case "def":
      emitDefValue(b, symbol, result);
      break;
    case "type":
      emitTypeValue(b, symbol, result);
      break;
    case "native":
      encoder.emit(15 /* LOADNATIVE */, result, 0, 0, [program.native(symbol.name)]);
      break;
    case "namespace":
      program.error("namespace-as-value", b.scope.module, node, `'${nameOf(node)}' is a module, not a value`, "call one of its functions: name.function(\u2026)");
      break;
    case "unknown":
      emitUnknown(b, symbol, result);
      break;
  }
}
function nameOf(node) {
  return node.name;
}
function emitDefValue(b, symbol, dest) {
  if (symbol.node.type === "RecordDecl") b.encoder.emit(16 /* LOADTYPE */, dest, 0, 0, [recordIndex(b.program, symbol, symbol.node)]);
  else b.encoder.emit(90 /* CLOSURE */, dest, 0, 0, [defIndex(b.program, symbol)], []);
}
function emitTypeValue(b, symbol, dest) {
  b.encoder.emit(16 /* LOADTYPE */, dest, 0, 0, [typeIndex(b, symbol)]);
}
function typeIndex(b, symbol) {
  const { node, module } = symbol;
  if (node.type === "RecordDecl") throw new Error("a record is a function symbol");
  if (node.type === "EnumDecl") return b.program.type(symbol, () => ({ kind: "enum", name: symbol.name, members: node.members.map((m) => m.name) }));
  const parent = node.parent === null ? null : moduleSymbol(node.parent.name, module, /* @__PURE__ */ new Set());
  const index = parent?.kind === "type" && parent !== symbol ? typeIndex(b, parent) : node.parent?.name ?? "RuntimeError";
  return b.program.type(symbol, () => ({ kind: "error", name: symbol.name, parent: index }));
}
function emitUnknown(b, symbol, dest) {
  const text3 = b.temp();
  const hint2 = symbol.near === null ? "" : `, did you mean '${symbol.near}'?`;
  b.encoder.emit(1 /* LOADK */, text3, 0, 0, [b.program.string(`undefined name '${symbol.name}'${hint2}`)]);
  b.encoder.emit(74 /* NATIVE */, dest, 0, 1, [b.program.native("%name_error")], [text3]);
}
function emitNamedCall(b, node, symbol, dest) {
  switch (symbol.kind) {
    case "def":
      emitDefCall(b, node, symbol, dest);
      break;
    case "native":
      emitNativeCall(b, node, symbol.name, dest);
      break;
    case "variable":
      emitVariableCall(b, node, symbol, dest);
      break;
    default: {
      const callee = b.temp();
      emitSymbol(b, symbol, node.callee, callee);
      emitValueCall(b, node, callee, dest);
    }
  }
}
function emitVariableCall(b, node, symbol, dest) {
  const location = b.locate(symbol.variable);
  if (location.kind === "block") {
    emitBlockCall(b, location.inline, emitArguments(b, node.args, null).positional, dest);
    return;
  }
  const callee = b.stableOperand(node.callee, node.args.map((arg) => arg.type === "NamedArg" || arg.type === "Splat" ? arg.value : arg));
  emitValueCall(b, node, callee, dest);
}
function emitValueCall(b, node, callee, dest) {
  if (hasSplat(node.args)) {
    const { vector: vector2, named: named2 } = emitSplatted(b, node.args, node.block);
    b.at(node.start);
    b.encoder.emit(73 /* APPLY */, b.target(dest), 0, 3, [], [callee, vector2, named2]);
    return;
  }
  const { registers, names } = flatten(b, emitArguments(b, node.args, node.block));
  b.at(node.start);
  if (names === null) b.encoder.emit(71 /* CALLV */, b.target(dest), callee, registers.length, [], registers);
  else b.encoder.emit(72 /* CALLN */, b.target(dest), callee, registers.length, [names], registers);
}
function emitDefCall(b, node, symbol, dest) {
  if (!hasSplat(node.args)) {
    const args = emitArguments(b, node.args, node.block);
    const registers = bindStatically(b, symbol, args);
    b.at(node.start);
    if (registers !== null) b.encoder.emit(70 /* CALL */, b.target(dest), 0, registers.length, [defIndex(b.program, symbol)], registers);
    else {
      const callee2 = b.temp();
      emitDefValue(b, symbol, callee2);
      const { registers: all, names } = flatten(b, args);
      b.encoder.emit(72 /* CALLN */, b.target(dest), callee2, all.length, [names ?? b.program.nameList([])], all);
    }
    return;
  }
  const callee = b.temp();
  emitDefValue(b, symbol, callee);
  emitValueCall(b, node, callee, dest);
}
function emitNativeCall(b, node, native2, dest) {
  const { block: block2 } = node;
  if (native2 === "loop" && block2 !== null) {
    emitLoopBlock(b, block2, dest);
    return;
  }
  if (native2 === "spawn" && block2 !== null) {
    const task = b.temp();
    emitClosure(b, blockSource(b, block2), task);
    const name2 = dest < 0 ? "%spawn_detached" : "%spawn";
    b.encoder.emit(74 /* NATIVE */, b.target(dest), 0, 1, [b.program.native(name2)], [task]);
    return;
  }
  const plain = block2 === null && node.args.every((arg) => arg.type !== "Splat" && arg.type !== "NamedArg");
  if (!plain) {
    const callee = b.temp();
    b.encoder.emit(15 /* LOADNATIVE */, callee, 0, 0, [b.program.native(native2)]);
    emitValueCall(b, node, callee, dest);
    return;
  }
  const { positional } = emitArguments(b, node.args, null);
  b.at(node.start);
  b.encoder.emit(74 /* NATIVE */, b.target(dest), 0, positional.length, [b.program.native(native2)], positional);
}
function emitChain(b, node, dest) {
  const spine = spineOf(node);
  let first2 = spine.findLastIndex((n) => !isLink(n)) + 1;
  const head = spine[first2 - 1];
  const isSafe = spine.slice(first2).some((n) => "safe" in n && n.safe);
  const end2 = b.encoder.newLabel();
  const result = b.target(dest);
  const acc = isSafe || spine.length - first2 > 1 ? b.scratch(result) : result;
  const namespace = namespaceOf(b, head);
  let value;
  if (namespace !== null && first2 < spine.length) {
    value = spine.length - first2 === 1 ? result : acc;
    emitNamespaced(b, namespace, spine[first2++], value);
  } else value = b.stableOperand(head, spine.slice(first2).flatMap(partsOf));
  for (; first2 < spine.length; first2++) {
    const target = isSafe || first2 < spine.length - 1 ? acc : result;
    const mark = b.mark();
    emitLink2(b, spine[first2], value, target, end2);
    b.release(mark);
    value = target;
  }
  b.encoder.bind(end2);
  b.move(dest, value);
}
function isLink(node) {
  return node.type === "Member" || node.type === "Method" || node.type === "Index" || node.type === "Call" && node.callee.type !== "Ident";
}
function partsOf(node) {
  if (node.type === "Index") return node.args;
  if (node.type !== "Method" && node.type !== "Call") return [];
  const args = node.args.map((arg) => arg.type === "NamedArg" || arg.type === "Splat" ? arg.value : arg);
  return node.block === null ? args : [...args, node.block];
}
function namespaceOf(b, head) {
  const symbol = head.type === "Ident" ? b.program.resolution.symbols.get(head) : void 0;
  return symbol?.kind === "namespace" ? symbol.module : null;
}
function emitNamespaced(b, module, node, dest) {
  const name2 = node.name;
  const variable = module.main.root.names.get(name2);
  const symbol = (variable !== void 0 ? { kind: "variable", variable } : moduleSymbol(name2, module, /* @__PURE__ */ new Set())) ?? { kind: "unknown", name: `${nameOf(node.recv)}.${name2}`, near: null };
  if (node.type !== "Method") {
    emitSymbol(b, symbol, node, dest);
    return;
  }
  if (symbol.kind === "variable") {
    emitValueCall(b, { ...node, type: "Call", callee: node }, b.readVariable(symbol.variable), dest);
    return;
  }
  emitNamedCall(b, { type: "Call", callee: node, args: node.args, block: node.block, start: node.start, end: node.end }, symbol, dest);
}
function emitLink2(b, node, recv2, dest, end2) {
  if ("safe" in node && node.safe) {
    if (recv2 !== dest) b.move(dest, recv2);
    b.encoder.emit(55 /* JNIL */, dest, 0, 0, [end2]);
  }
  switch (node.type) {
    case "Member":
      b.at(node.nameStart);
      b.encoder.emit(78 /* GETF */, dest, recv2, 0, [b.program.string(node.name)]);
      break;
    case "Index":
      emitIndex(b, node, recv2, dest);
      break;
    case "Call":
      emitValueCall(b, node, recv2, dest);
      break;
    default:
      emitMethod(b, node, recv2, dest);
  }
}
function emitIndex(b, node, recv2, dest) {
  const args = emitArguments(b, node.args, null).positional;
  b.at(node.start);
  if (args.length === 1) b.encoder.emit(80 /* INDEX */, dest, recv2, args[0]);
  else b.encoder.emit(75 /* CALLM */, dest, recv2, args.length, [b.program.string("[]")], args);
}
function emitMethod(b, node, recv2, dest) {
  const template = b.program.resolution.templates.get(node);
  if (template !== void 0 && node.block !== null) {
    const args = emitArguments(b, node.args, null).positional;
    b.at(node.nameStart);
    emitTemplate(b, template, node.name, [recv2, ...args], node.block, dest);
    return;
  }
  const last = node.args[node.args.length - 1];
  const iterator = node.block === null && last !== void 0 && !hasSplat(node.args) ? b.program.names.template(node.name, node.args.length - 1) : null;
  if (iterator !== null && last.type === "Lambda") emitIteratorCall(b, node, iterator, recv2, dest);
  else if (iterator !== null && mayBeFunction(last)) emitMaybeIterator(b, node, iterator, recv2, dest);
  else emitPlainMethod(b, node, recv2, dest);
}
function emitIteratorCall(b, node, iterator, recv2, dest) {
  const args = emitArguments(b, node.args, null).positional;
  b.at(node.nameStart);
  b.encoder.emit(70 /* CALL */, dest, 0, args.length + 1, [defIndex(b.program, iterator)], [recv2, ...args]);
}
function emitMaybeIterator(b, node, iterator, recv2, dest) {
  const { encoder, program } = b;
  const args = emitArguments(b, node.args, null).positional;
  const test = b.temp();
  const plain = encoder.newLabel();
  const done = encoder.newLabel();
  b.at(node.nameStart);
  encoder.emit(74 /* NATIVE */, test, 0, 2, [program.native("%calls_back")], [recv2, args[args.length - 1]]);
  encoder.emit(53 /* JF */, test, 0, 0, [plain]);
  encoder.emit(70 /* CALL */, dest, 0, args.length + 1, [defIndex(program, iterator)], [recv2, ...args]);
  encoder.emit(50 /* JUMP */, 0, 0, 0, [done]);
  encoder.bind(plain);
  encoder.emit(75 /* CALLM */, dest, recv2, args.length, [program.string(node.name)], args);
  encoder.bind(done);
}
function emitPlainMethod(b, node, recv2, dest) {
  const name2 = b.program.string(node.name);
  if (hasSplat(node.args)) {
    const { vector: vector2, named: named2 } = emitSplatted(b, node.args, node.block);
    b.at(node.nameStart);
    b.encoder.emit(77 /* APPLYM */, dest, 0, 3, [name2], [recv2, vector2, named2]);
    return;
  }
  const { registers, names } = flatten(b, emitArguments(b, node.args, node.block));
  b.at(node.nameStart);
  if (names === null) b.encoder.emit(75 /* CALLM */, dest, recv2, registers.length, [name2], registers);
  else b.encoder.emit(76 /* CALLMN */, dest, recv2, registers.length, [name2, names], registers);
}
function emitUseModule(b, node, dest) {
  const { encoder, program } = b;
  const module = program.resolution.modules.get(node);
  if (module !== void 0) {
    const { fn, done } = moduleMain(program, module);
    const skip = encoder.newLabel();
    const flag = b.temp();
    encoder.emit(13 /* GETSLOT */, flag, 0, 0, [done]);
    encoder.emit(54 /* JT */, flag, 0, 0, [skip]);
    encoder.emit(4 /* LOADTRUE */, flag);
    encoder.emit(14 /* SETSLOT */, flag, 0, 0, [done]);
    encoder.emit(70 /* CALL */, flag, 0, 0, [fn]);
    encoder.bind(skip);
  }
  if (dest >= 0) encoder.emit(3 /* LOADNIL */, dest);
}
var callEmitters = {
  Ident: (b, node, dest) => {
    const symbol = b.program.resolution.symbols.get(node);
    if (symbol !== void 0) emitSymbol(b, symbol, node, dest);
  },
  Call: (b, node, dest) => {
    const symbol = b.program.resolution.symbols.get(node.callee);
    if (node.callee.type === "Ident" && symbol !== void 0) emitNamedCall(b, node, symbol, dest);
    else emitChain(b, node, dest);
  },
  Method: emitChain,
  Member: emitChain,
  Index: emitChain,
  UseModule: emitUseModule,
  Error: () => {
  }
};

// compiler/emit/flow.ts
function emitIf(b, node, dest) {
  const { encoder } = b;
  const done = encoder.newLabel();
  node.clauses.forEach((clause, i) => {
    const isLast = i === node.clauses.length - 1 && node.else === null && dest === DISCARD;
    const next = isLast ? done : encoder.newLabel();
    jumpIf(b, clause.cond, false, next);
    b.statements(clause.body, dest);
    if (isLast) return;
    encoder.emit(50 /* JUMP */, 0, 0, 0, [done]);
    encoder.bind(next);
  });
  if (node.else !== null) b.statements(node.else, dest);
  else if (dest !== DISCARD) encoder.emit(3 /* LOADNIL */, dest);
  encoder.bind(done);
}
function emitWhile(b, node, dest) {
  emitLoop(b, node.label, dest, (loop3) => {
    if (!node.doWhile) {
      jumpIf(b, node.cond, false, loop3.exhausted);
      b.statements(node.body, DISCARD);
      return;
    }
    loop3.next = b.encoder.newLabel();
    b.statements(node.body, DISCARD);
    b.encoder.bind(loop3.next);
    jumpIf(b, node.cond, false, loop3.exhausted);
  });
}
function iteration(b, node) {
  const { iter } = node;
  const method2 = b.template?.method ?? "for";
  if (b.scope.module.isPrelude || b.template !== null) {
    if (iter.type === "Call" && iter.callee.type === "Ident" && iter.callee.name === "__count") return { source: iter.args[0], mode: ITER_COUNT, name: method2 };
    if (iter.type === "Call" && iter.callee.type === "Ident" && iter.callee.name === "__each") return eachIteration(b, iter, method2);
    return { source: iter, mode: ITER_ITEMS, name: method2 };
  }
  return { source: iter, mode: node.targets.length > 1 ? ITER_ITEMS : ITER_EACH, name: "for" };
}
function eachIteration(b, call3, name2) {
  const [source, fn] = call3.args;
  const symbol = b.program.resolution.symbols.get(fn);
  const location = symbol?.kind === "variable" ? b.locate(symbol.variable) : void 0;
  if (location?.kind !== "block") return { source: call3, mode: ITER_ITEMS, name: name2 };
  const params = location.inline.block.params ?? [];
  const single = params.length === 0 || params.length === 1 && params[0].pattern === null && params[0].kind !== "rest";
  return { source, mode: single ? ITER_EACH : ITER_ITEMS, name: name2 };
}
function emitFor(b, node, dest) {
  const { encoder } = b;
  const { source, mode, name: name2 } = iteration(b, node);
  const iterator = b.temp();
  b.expr(source, iterator);
  b.at(node.iter.start);
  encoder.emit(110 /* ITER */, iterator, iterator, mode, [b.program.string(name2)]);
  emitLoop(b, node.label, dest, (loop3) => {
    const mark = b.mark();
    for (const target of node.targets) freshVariables(b, target);
    if (node.targets.length === 1) {
      const item = b.temp();
      encoder.emit(111 /* NEXT */, item, iterator, 0, [loop3.exhausted]);
      bindPattern(b, node.targets[0], item);
    } else if (node.targets.length === 2 && node.targets.every((t2) => t2.type !== "RestPattern")) {
      const [key, value] = [b.temp(), b.temp()];
      encoder.emit(112 /* NEXT2 */, key, value, iterator, [loop3.exhausted]);
      bindPattern(b, node.targets[0], key);
      bindPattern(b, node.targets[1], value);
    } else {
      const item = b.temp();
      encoder.emit(111 /* NEXT */, item, iterator, 0, [loop3.exhausted]);
      bindPattern(b, { type: "GroupPattern", items: node.targets, start: node.start, end: node.end }, item);
    }
    b.release(mark);
    b.statements(node.body, DISCARD);
  });
}
function freshVariables(b, pattern) {
  if (pattern.type === "GroupPattern") for (const item of pattern.items) freshVariables(b, item);
  else {
    const symbol = b.program.resolution.symbols.get(pattern);
    if (symbol?.kind === "variable" && symbol.variable.perIteration) b.freshCell(symbol.variable);
  }
}
function emitCase(b, node, dest) {
  const { encoder } = b;
  const done = encoder.newLabel();
  const subject = node.subject === null ? null : b.temp();
  if (node.subject !== null && subject !== null) b.expr(node.subject, subject);
  for (const when2 of node.whens) {
    const body2 = encoder.newLabel();
    const next = encoder.newLabel();
    for (const pattern of when2.patterns) emitWhenTest(b, pattern, subject, body2);
    encoder.emit(50 /* JUMP */, 0, 0, 0, [next]);
    encoder.bind(body2);
    b.statements(when2.body, dest);
    encoder.emit(50 /* JUMP */, 0, 0, 0, [done]);
    encoder.bind(next);
  }
  if (node.else !== null) b.statements(node.else, dest);
  else if (dest !== DISCARD) encoder.emit(3 /* LOADNIL */, dest);
  encoder.bind(done);
}
function emitWhenTest(b, pattern, subject, body2) {
  const mark = b.mark();
  if (subject === null) jumpIf(b, pattern, true, body2);
  else {
    const isSplat = pattern.type === "Splat";
    const value = b.operand(isSplat ? pattern.value : pattern);
    const test = b.temp();
    b.at(pattern.start);
    if (isSplat) b.encoder.emit(74 /* NATIVE */, test, 0, 2, [b.program.native("%matches_any")], [value, subject]);
    else b.encoder.emit(40 /* MATCHES */, test, value, subject);
    b.encoder.emit(54 /* JT */, test, 0, 0, [body2]);
  }
  b.release(mark);
}
function emitJump(b, node) {
  const kind = node.type === "Break" ? "break" : "next";
  const value = b.temp();
  if (node.value !== null) b.expr(node.value, value);
  else b.encoder.emit(3 /* LOADNIL */, value);
  b.at(node.start);
  const index = targetOf(b, node.label);
  if (index >= 0) emitExit(b, { kind, index }, value);
  else if (kind === "next" && node.label === null && b.scope.kind !== "main" && b.scope.kind !== "def") emitExit(b, { kind: "return", index: -1 }, value);
  else jumpError(b, node, kind);
}
function jumpError(b, node, kind) {
  const { module } = b.scope;
  if (node.label !== null) b.program.error("unknown-label", module, node, `no loop around this \`${kind}\` has the label ':${node.label}'`);
  else if (b.scope.kind === "block" || b.scope.kind === "spawn" || b.scope.kind === "lambda") {
    b.program.error("stray-break", module, node, "`break` cannot leave this block", "it leaves loops and the blocks of core iterators; `next` or `return` end the block itself");
  } else b.program.error("stray-break", module, node, `\`${kind}\` outside a loop`);
}
function emitReturn(b, node) {
  const value = b.temp();
  if (node.value !== null) b.expr(node.value, value);
  else b.encoder.emit(3 /* LOADNIL */, value);
  if (b.template !== null) emitExit(b, { kind: "template", index: b.template.depth - 1 }, value);
  else emitExit(b, { kind: "return", index: -1 }, value);
}
var flowEmitters = {
  If: emitIf,
  While: emitWhile,
  For: emitFor,
  Case: emitCase,
  Break: emitJump,
  Next: emitJump,
  Return: emitReturn
};

// compiler/emit/literals.ts
var CHUNK = 24;
function emitInt(b, value, dest) {
  if (typeof value === "number" && value >= -32768 && value <= 32767) b.encoder.emit16(2 /* LOADI */, dest, value);
  else b.encoder.emit(1 /* LOADK */, dest, 0, 0, [b.program.constant({ kind: "integer", value })]);
}
function emitInterp(b, parts, dest) {
  const mark = b.mark();
  const text3 = parts.length > CHUNK ? b.scratch(dest) : dest;
  for (let start2 = 0; start2 < parts.length || start2 === 0; start2 += CHUNK) {
    const chunk = parts.slice(start2, start2 + CHUNK);
    const registers = operands(b, chunk);
    if (start2 > 0) registers.unshift(text3);
    b.encoder.emit(98 /* CONCAT */, text3, 0, registers.length, [], registers);
  }
  b.move(dest, text3);
  b.release(mark);
}
function operands(b, nodes) {
  return nodes.map((node, i) => b.stableOperand(node, nodes.slice(i + 1)));
}
function emitVector(b, items2, dest) {
  const first2 = items2.findIndex((item, i) => item.type === "Splat" || i === CHUNK);
  const head = first2 < 0 ? items2 : items2.slice(0, first2);
  if (first2 < 0) {
    const mark2 = b.mark();
    const registers2 = operands(b, head);
    b.encoder.emit(91 /* VECTOR */, dest, 0, registers2.length, [], registers2);
    b.release(mark2);
    return;
  }
  const mark = b.mark();
  const vector2 = b.scratch(dest);
  const inner = b.mark();
  const registers = operands(b, head);
  b.encoder.emit(91 /* VECTOR */, vector2, 0, registers.length, [], registers);
  b.release(inner);
  for (const item of items2.slice(first2)) {
    const value = b.operand(item.type === "Splat" ? item.value : item);
    b.encoder.emit(item.type === "Splat" ? 93 /* VEXTEND */ : 92 /* VPUSH */, vector2, value);
    b.release(inner);
  }
  b.move(dest, vector2);
  b.release(mark);
}
function emitHash(b, entries, dest) {
  const first2 = entries.findIndex((entry, i) => entry.type === "Splat" || entry.key.type !== "Str" || i === CHUNK);
  const head = first2 < 0 ? entries : entries.slice(0, first2);
  const mark = b.mark();
  const hash2 = first2 < 0 ? dest : b.scratch(dest);
  const inner = b.mark();
  const registers = operands(b, head.map((pair) => pair.value));
  b.encoder.emit(94 /* HASH */, hash2, 0, registers.length, [b.program.nameList(head.map((pair) => pair.key.value))], registers);
  b.release(inner);
  for (const entry of first2 < 0 ? [] : entries.slice(first2)) {
    if (entry.type === "Splat") b.encoder.emit(95 /* HMERGE */, hash2, b.operand(entry.value));
    else {
      const key = b.stableOperand(entry.key, [entry.value]);
      b.encoder.emit(81 /* SETINDEX */, hash2, key, b.operand(entry.value));
    }
    b.release(inner);
  }
  b.move(dest, hash2);
  b.release(mark);
}
function emitRegex(b, node, dest) {
  const [only] = node.parts;
  if (node.parts.length === 0 || node.parts.length === 1 && only.type === "Str") {
    const source2 = only?.type === "Str" ? only.value : "";
    b.encoder.emit(1 /* LOADK */, dest, 0, 0, [b.program.constant({ kind: "regex", source: source2, flags: node.flags })]);
    return;
  }
  const source = b.temp();
  emitInterp(b, node.parts, source);
  const flags = b.temp();
  b.encoder.emit(1 /* LOADK */, flags, 0, 0, [b.program.string(node.flags)]);
  b.encoder.emit(74 /* NATIVE */, dest, 0, 2, [b.program.native("%regex")], [source, flags]);
}
function emitRange(b, node, dest) {
  const lo = b.stableOperand(node.lo, node.hi === null ? [] : [node.hi]);
  let hi;
  if (node.hi === null) {
    hi = b.temp();
    b.encoder.emit(3 /* LOADNIL */, hi);
  } else hi = b.operand(node.hi);
  b.at(node.start);
  b.encoder.emit(node.exclusive ? 97 /* RANGEX */ : 96 /* RANGE */, dest, lo, hi);
}
var literalEmitters = {
  Nil: (b, _node, dest) => b.encoder.emit(3 /* LOADNIL */, b.target(dest)),
  Bool: (b, node, dest) => b.encoder.emit(node.value ? 4 /* LOADTRUE */ : 5 /* LOADFALSE */, b.target(dest)),
  Int: (b, node, dest) => emitInt(b, node.value, b.target(dest)),
  Float: (b, node, dest) => b.encoder.emit(1 /* LOADK */, b.target(dest), 0, 0, [b.program.constant({ kind: "float", value: node.value })]),
  Str: (b, node, dest) => b.encoder.emit(1 /* LOADK */, b.target(dest), 0, 0, [b.program.string(node.value)]),
  Interp: (b, node, dest) => emitInterp(b, node.parts, b.target(dest)),
  Regex: (b, node, dest) => emitRegex(b, node, b.target(dest)),
  Vector: (b, node, dest) => emitVector(b, node.items, b.target(dest)),
  Hash: (b, node, dest) => emitHash(b, node.entries, b.target(dest)),
  Range: (b, node, dest) => emitRange(b, node, b.target(dest))
};

// compiler/emit/program.ts
var ProgramBuilder = class {
  constructor(resolution, names, emitters, diagnostics) {
    this.resolution = resolution;
    this.names = names;
    this.emitters = emitters;
    this.diagnostics = diagnostics;
  }
  resolution;
  names;
  emitters;
  diagnostics;
  program = { sources: [], constants: [], functions: [], natives: [], types: [], slots: [], entry: 0 };
  constants = /* @__PURE__ */ new Map();
  natives = /* @__PURE__ */ new Map();
  defs = /* @__PURE__ */ new Map();
  types = /* @__PURE__ */ new Map();
  mains = /* @__PURE__ */ new Map();
  /** Functions whose number is known and whose code is still to be written. */
  queue = [];
  constant(constant2) {
    const key = constant2.kind === "names" ? `names ${JSON.stringify(constant2.value)}` : constant2.kind === "regex" ? `regex ${constant2.flags} ${constant2.source}` : `${constant2.kind} ${typeof constant2.value} ${Object.is(constant2.value, -0) ? "-0" : String(constant2.value)}`;
    let index = this.constants.get(key);
    if (index === void 0) {
      index = this.program.constants.push(constant2) - 1;
      this.constants.set(key, index);
    }
    return index;
  }
  string(value) {
    return this.constant({ kind: "string", value });
  }
  nameList(names) {
    return this.constant({ kind: "names", value: [...names] });
  }
  native(name2) {
    let index = this.natives.get(name2);
    if (index === void 0) {
      index = this.program.natives.push(name2) - 1;
      this.natives.set(name2, index);
    }
    return index;
  }
  slotOf(variable) {
    if (variable.slot < 0) variable.slot = this.program.slots.push(variable.name) - 1;
    return variable.slot;
  }
  /** Reserves a function's number; `write` fills it in later. */
  reserve(write) {
    const index = this.program.functions.length;
    this.program.functions.push(void 0);
    this.queue.push(() => write(index));
    return index;
  }
  /** Number of a function known by name. */
  def(symbol, write) {
    let index = this.defs.get(symbol.node);
    if (index === void 0) {
      index = this.reserve(write);
      this.defs.set(symbol.node, index);
    }
    return index;
  }
  /** Number of a declared type. */
  type(symbol, make) {
    let index = this.types.get(symbol.node);
    if (index === void 0) {
      const type = make();
      index = this.program.types.push(type) - 1;
      this.types.set(symbol.node, index);
    }
    return index;
  }
  /** Function and "has run" slot of a module's top level. */
  main(module, write) {
    let main = this.mains.get(module);
    if (main === void 0) {
      main = { fn: this.reserve(write), done: this.program.slots.push(`${module.path} loaded`) - 1 };
      this.mains.set(module, main);
    }
    return main;
  }
  error(code, module, node, message, hint2 = "") {
    this.diagnostics.push({ code, severity: "error", message, file: module.path, start: node.start, end: node.end, labels: [], hint: hint2 });
  }
};

// compiler/earley.ts
var import_nearley = __toESM(require_nearley(), 1);

// compiler/build/list.ts
var List = class {
  init;
  last;
  size;
  constructor(init, last) {
    this.init = init;
    this.last = last;
    this.size = init === null ? 1 : init.size + 1;
  }
};
function toArray(list) {
  if (list === null) return [];
  const array = new Array(list.size);
  let rest = list;
  for (let i = list.size - 1; rest !== null; i--, rest = rest.init) array[i] = rest.last;
  return array;
}
var first = (d) => d[0];
var second = (d) => d[1];
var none = () => null;
var one = (d) => new List(null, d[0]);
var two = (d) => new List(new List(null, d[0]), d[2]);
var append = (d) => new List(d[0], d[1]);
var appendItem = (d) => new List(d[0], d[2]);

// compiler/build/parameters.ts
function nameOf2({ text: text3, start: start2, end: end2 }) {
  return { start: start2, end: end2, name: text3 };
}
function noParams() {
  return [];
}
function paramList([, list]) {
  return toArray(list);
}
function param(kind, name2, defaultValue) {
  const end2 = defaultValue?.end ?? name2.end;
  return { start: name2.start, end: end2, name: name2.text, kind, default: defaultValue, pattern: null, annotation: name2.extra === "" ? null : name2.extra };
}
function plainParam([name2]) {
  return param("plain", name2, null);
}
function defaultParam([name2, , value]) {
  return param("plain", name2, value);
}
function namedParam([name2]) {
  return param("named", name2, null);
}
function namedParamDefault([name2, value]) {
  return param("named", name2, value);
}
function restParam([star, name2]) {
  return { start: star.start, end: name2.end, name: name2.text, kind: "rest", default: null, pattern: null, annotation: null };
}
function groupParam([open2, list, close3]) {
  return { start: open2.start, end: close3.end, name: "", kind: "plain", default: null, pattern: toArray(list), annotation: null };
}
function namePattern([{ text: text3, start: start2, end: end2 }]) {
  return { type: "NamePattern", start: start2, end: end2, name: text3 };
}
function restPattern([star, name2]) {
  return { type: "RestPattern", start: star.start, end: name2?.end ?? star.end, name: name2?.text ?? null };
}
function groupPattern([open2, list, close3]) {
  return { type: "GroupPattern", start: open2.start, end: close3.end, items: toArray(list) };
}

// compiler/build/bodies.ts
function plainBody([stmts]) {
  return { stmts: toArray(stmts), rescues: [], else: null, ensure: null };
}
function handledBody([stmts, handlers]) {
  return { stmts: toArray(stmts), ...handlers };
}
function rescuesOnly([rescues]) {
  return { rescues: toArray(rescues), else: null, ensure: null };
}
function rescuesElse([rescues, , body2]) {
  return { rescues: toArray(rescues), else: toArray(body2), ensure: null };
}
function rescuesEnsure([rescues, , body2]) {
  return { rescues: toArray(rescues), else: null, ensure: toArray(body2) };
}
function rescuesElseEnsure([rescues, , otherwise, , ensure]) {
  return { rescues: toArray(rescues), else: toArray(otherwise), ensure: toArray(ensure) };
}
function ensureOnly([, body2]) {
  return { rescues: [], else: null, ensure: toArray(body2) };
}
function body(open2, { stmts, rescues, else: otherwise, ensure }, close3) {
  return { start: open2.end, end: close3.start, stmts, rescues, else: otherwise, ensure };
}
function rescue(word2, types2, name2, then, stmts) {
  const bodyStmts = toArray(stmts);
  return { start: word2.start, end: bodyStmts.at(-1)?.end ?? then.start, types: types2, name: name2, body: bodyStmts };
}
function rescueAll([word2, then, stmts]) {
  return rescue(word2, [], null, then, stmts);
}
function rescueTypes([word2, list, then, stmts]) {
  const types2 = toArray(list);
  const last = types2.at(-1);
  if (last?.type !== "Ident" || /^\p{Lu}/u.test(last.name)) return rescue(word2, types2, null, then, stmts);
  return rescue(word2, types2.slice(0, -1), { start: last.start, end: last.end, name: last.name }, then, stmts);
}
function rescueNamed([word2, types2, name2, then, stmts]) {
  return rescue(word2, toArray(types2), nameOf2(name2), then, stmts);
}
function rescueArrow([word2, types2, , name2, then, stmts]) {
  return rescue(word2, toArray(types2), nameOf2(name2), then, stmts);
}
function rescueAllNamed([word2, , name2, then, stmts]) {
  return rescue(word2, [], nameOf2(name2), then, stmts);
}
function makeBlock(open2, params, parts, close3) {
  return { start: open2.start, end: close3.end, params, body: body(open2, parts, close3) };
}
function block([open2, parts, close3]) {
  return makeBlock(open2, null, parts, close3);
}
function blockParams2([open2, params, parts, close3]) {
  return makeBlock(open2, toArray(params), parts, close3);
}
function brace([open2, stmts, close3]) {
  return makeBlock(open2, null, plainBody([stmts]), close3);
}
function braceParams([open2, params, stmts, close3]) {
  return makeBlock(open2, toArray(params), plainBody([stmts]), close3);
}
function lambda([arrow2, value]) {
  return lambdaParams([arrow2, value.params ?? [], value]);
}
function lambdaParams([arrow2, params, value]) {
  return { type: "Lambda", start: arrow2.start, end: value.end, params, body: value.body };
}

// compiler/diagnostics/problem.ts
function problem(code, message, start2, end2, labels = [], hint2 = "") {
  return { code, message, start: start2, end: end2, labels, hint: hint2 };
}

// compiler/build/invalid.ts
var invalidNodes = { seen: false };
function invalid(code, message, start2, end2, hint2 = "") {
  invalidNodes.seen = true;
  return { type: "Error", start: start2, end: end2, problem: problem(code, message, start2, end2, [], hint2) };
}

// compiler/build/jumps.ts
function bareJump(token) {
  return jump(token, null, token.end);
}
function jump(token, value, end2) {
  const { start: start2, text: text3 } = token;
  const label3 = token.extra === "" ? null : token.extra;
  switch (text3) {
    case "return":
      return { type: "Return", start: start2, end: end2, value };
    case "break":
      return { type: "Break", start: start2, end: end2, value, label: label3 };
    case "next":
      return { type: "Next", start: start2, end: end2, value, label: label3 };
    case "raise":
      return { type: "Raise", start: start2, end: end2, args: value === null ? [] : [value] };
    default:
      return { type: "Retry", start: start2, end: end2 };
  }
}
function raise(start2, end2, args) {
  return { type: "Raise", start: start2, end: end2, args };
}

// compiler/layout/token.ts
var Token = class {
  type;
  text;
  start;
  end;
  extra;
  constructor(type, text3, start2, end2, extra = "") {
    this.type = type;
    this.text = text3;
    this.start = start2;
    this.end = end2;
    this.extra = extra;
  }
};
var ENDS_VALUE = /* @__PURE__ */ new Set(["IDENT", "LIT", "RPAREN", "RBRACK", "RBRACE", "END", "STR_END"]);
var CONTINUES = /* @__PURE__ */ new Set([
  "BINOP",
  "COMMA",
  "ASGN",
  "OPASGN",
  "DOT",
  "PREFIX",
  "SPLAT",
  "QMARK",
  "COLON",
  "FATARROW",
  "IN",
  "LT"
]);

// compiler/strings.ts
var SIMPLE = { n: "\n", t: "	", r: "\r", "0": "\0", e: "\x1B", "\\": "\\", '"': '"', "'": "'", "#": "#" };
var SURROGATES = /\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/gu;
var ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r?\n|([^]))/gu;
function unescape(raw) {
  const text3 = normalizeLines(raw);
  if (!text3.includes("\\")) return text3;
  const joined = text3.replace(SURROGATES, (_, high, low) => {
    const code = (Number.parseInt(high, 16) - 55296) * 1024 + Number.parseInt(low, 16) - 56320 + 65536;
    return `\\u{${code.toString(16)}}`;
  });
  return joined.replace(ESCAPE, (whole, braced, four, two2, letter) => {
    if (letter !== void 0) return SIMPLE[letter] ?? whole;
    const digits = braced ?? four ?? two2;
    if (digits === void 0) return "";
    const code = Number.parseInt(digits, 16);
    return isCharacter(code) ? String.fromCodePoint(code) : whole;
  });
}
function isCharacter(code) {
  return code <= 1114111 && (code < 55296 || code > 57343);
}
function unescapeSingle(raw) {
  return normalizeLines(raw).replace(/\\([\\'])/g, "$1");
}
function normalizeLines(text3) {
  return text3.includes("\r") ? text3.replaceAll("\r\n", "\n") : text3;
}
function dedent(texts) {
  const normalized = texts.map(normalizeLines);
  const width = commonIndent(normalized);
  return normalized.map((text3, index) => stripIndent(text3, width, index === 0));
}
function commonIndent(texts) {
  let width = Infinity;
  texts.forEach((text3, index) => {
    const lines2 = text3.split("\n");
    lines2.forEach((line3, number2) => {
      const startsLine = number2 > 0 || index === 0;
      const meetsInterpolation = number2 === lines2.length - 1 && index < texts.length - 1;
      const indent = leadingBlanks(line3);
      if (startsLine && (indent < line3.length || meetsInterpolation)) width = Math.min(width, indent);
    });
  });
  return width === Infinity ? 0 : width;
}
function stripIndent(text3, width, startsLine) {
  const lines2 = text3.split("\n");
  return lines2.map((line3, number2) => number2 > 0 || startsLine ? line3.slice(Math.min(width, leadingBlanks(line3))) : line3).join("\n");
}
function leadingBlanks(line3) {
  let count = 0;
  while (line3[count] === " " || line3[count] === "	") count++;
  return count;
}

// compiler/build/literals.ts
var NO_END = Object.freeze({ type: "Nil", start: -1, end: -1 });
function literal([token]) {
  const { text: text3, start: start2, end: end2 } = token;
  switch (text3[0]) {
    case void 0:
      return NO_END;
    case '"':
      return { type: "Str", start: start2, end: end2, value: unescape(text3.slice(1, -1)) };
    case "'":
      return { type: "Str", start: start2, end: end2, value: singleQuoted(text3) };
    case ":":
      return { type: "Str", start: start2, end: end2, value: text3[1] === '"' ? unescape(text3.slice(2, -1)) : text3.slice(1) };
    case "/":
      return regexOf([{ type: "Str", start: start2 + 1, end: end2, value: text3.slice(1, text3.lastIndexOf("/")) }], text3.slice(text3.lastIndexOf("/") + 1), start2, end2);
    case "%":
      return words(token);
    default:
      return /[-0-9]/.test(text3[0]) ? number(token) : keyword(token);
  }
}
function singleQuoted(text3) {
  const width = text3.startsWith("'''") ? 3 : 1;
  return unescapeSingle(text3.slice(width, text3.length - width));
}
function keyword(token) {
  const { text: text3, start: start2, end: end2 } = token;
  if (text3 === "nil") return { type: "Nil", start: start2, end: end2 };
  if (text3 === "true" || text3 === "false") return { type: "Bool", start: start2, end: end2, value: text3 === "true" };
  return bareJump(token);
}
function number({ text: text3, start: start2, end: end2 }) {
  const digits = text3.replaceAll("_", "");
  const radix = /^-?0[xXbBoO]/.test(digits);
  if (!radix && /[.eE]/.test(digits)) return { type: "Float", start: start2, end: end2, value: Number(digits) };
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return { type: "Int", start: start2, end: end2, value };
  return { type: "Int", start: start2, end: end2, value: /^-?(?:[0-9]+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(digits) ? BigInt(digits) : 0 };
}
function words({ text: text3, start: start2, end: end2 }) {
  const items2 = [...text3.matchAll(/[^\s[\](){}]+/gu)].filter(({ index }) => index > 1);
  return { type: "Vector", start: start2, end: end2, items: items2.map(({ 0: value, index }) => ({ type: "Str", start: start2 + index, end: start2 + index + value.length, value })) };
}
function regexOf(parts, flags, start2, end2) {
  return { type: "Regex", start: start2, end: end2, parts, flags };
}
function interpolation(d) {
  return append([d[0], d[2]]);
}
function interpolated([open2, list, close3]) {
  const parts = toArray(list);
  const { start: start2 } = open2;
  const { end: end2 } = close3;
  if (open2.text === "/") return regexOf(strings(parts, (text3) => text3), close3.text.slice(1), start2, end2);
  const pieces = open2.text.startsWith("<<~") ? dedented(parts) : parts;
  const built = strings(pieces, open2.text.includes("'") ? (text3) => text3 : unescape);
  if (built.length === 0) return { type: "Str", start: start2, end: end2, value: "" };
  const [only] = built;
  if (built.length === 1 && only?.type === "Str" && parts.some((part) => part instanceof Token)) return { type: "Str", start: start2, end: end2, value: only.value };
  return { type: "Interp", start: start2, end: end2, parts: built };
}
function strings(parts, value) {
  const built = [];
  for (const part of parts) {
    if (!(part instanceof Token)) built.push(part);
    else if (part.text !== "") built.push({ type: "Str", start: part.start, end: part.end, value: value(part.text) });
  }
  return built;
}
function dedented(parts) {
  const texts = [""];
  for (const part of parts) {
    if (part instanceof Token) texts[texts.length - 1] += part.text;
    else texts.push("");
  }
  const stripped = dedent(texts);
  const result = [];
  let index = 0;
  const addText = (near2) => {
    result.push(new Token("TEXT", stripped[index++], near2.start, near2.end));
  };
  let near = parts[0] ?? { start: 0, end: 0 };
  for (const part of parts) {
    if (part instanceof Token) near = part;
    else {
      addText(near);
      result.push(part);
      near = part;
    }
  }
  addText(near);
  return result;
}
function emptyVector([open2, close3]) {
  return { type: "Vector", start: open2.start, end: close3.end, items: [] };
}
function vector(d) {
  return { type: "Vector", start: d[0].start, end: d[d.length - 1].end, items: namedToHash(toArray(d[1])) };
}
function namedToHash(items2) {
  const isNamed = (item) => item.type === "NamedArg";
  const named2 = items2.filter(isNamed);
  if (named2.length === 0) return items2;
  const entries = named2.map(({ start: start2, end: end2, name: name2, value }) => ({ type: "Pair", start: start2, end: end2, key: { type: "Str", start: start2, end: start2 + name2.length, value: name2 }, value }));
  const hash2 = { type: "Hash", start: named2[0].start, end: named2.at(-1).end, entries };
  return [...items2.filter((item) => !isNamed(item)), hash2];
}
function emptyHash([open2, close3]) {
  return { type: "Hash", start: open2.start, end: close3.end, entries: [] };
}
function hash(d) {
  return { type: "Hash", start: d[0].start, end: d[d.length - 1].end, entries: toArray(d[1]) };
}
var nameAsString = ({ text: text3, start: start2, end: end2 }) => ({ type: "Str", start: start2, end: end2, value: text3 });
function pairShort([name2]) {
  const { start: start2, end: end2, text: text3 } = name2;
  return { type: "Pair", start: start2, end: end2, key: nameAsString(name2), value: { type: "Ident", start: start2, end: end2, name: text3 } };
}
function pairLabel([name2, value]) {
  return { type: "Pair", start: name2.start, end: value.end, key: nameAsString(name2), value };
}
function pairColon([key, , value]) {
  const { start: start2, end: end2 } = key;
  return { type: "Pair", start: start2, end: value.end, key: key.type === "Ident" ? { type: "Str", start: start2, end: end2, value: key.name } : key, value };
}
function pairArrow([key, , value]) {
  return { type: "Pair", start: key.start, end: value.end, key, value };
}
function splat([star, value]) {
  return { type: "Splat", start: star.start, end: value.end, value, double: star.text === "**" };
}

// compiler/build/modules.ts
var FORMS = /* @__PURE__ */ new Set(["require", "import", "stitch"]);
function isModuleForm(name2) {
  return FORMS.has(name2);
}
function moduleCall({ name: name2, start: start2 }, args, end2) {
  const [path] = args;
  if (args.length !== 1 || path?.type !== "Str") return notPlain(name2, start2, end2);
  return { type: "UseModule", start: start2, end: end2, form: name2, path: path.value, alias: null };
}
function useModule([word2, path, , alias]) {
  const { start: start2, text: text3 } = word2;
  const end2 = alias?.end ?? path.end;
  const value = literal([path]);
  if (value.type !== "Str") return notPlain(text3, path.start, path.end);
  return {
    type: "UseModule",
    start: start2,
    end: end2,
    form: text3,
    path: value.value,
    alias: alias === void 0 ? null : { start: alias.start, end: alias.end, name: alias.text }
  };
}
function notPlain(form, start2, end2) {
  return invalid("module-name", `\`${form}\` takes a plain string: the module is found when the program is compiled`, start2, end2, `write \`${form} "lib/name"\``);
}

// compiler/build/pipes.ts
function pipe(left, right) {
  const { start: start2 } = left;
  const { end: end2 } = right;
  switch (right.type) {
    case "Call":
      return { type: "Call", start: start2, end: end2, callee: right.callee, args: [left, ...right.args], block: right.block };
    case "Method":
      return { type: "Method", start: start2, end: end2, recv: right.recv, name: right.name, nameStart: right.nameStart, args: [left, ...right.args], block: right.block, safe: right.safe };
    case "Member":
      return { type: "Method", start: start2, end: end2, recv: right.recv, name: right.name, nameStart: right.nameStart, args: [left], block: null, safe: right.safe };
    default:
      return { type: "Call", start: start2, end: end2, callee: right, args: [left], block: null };
  }
}

// compiler/build/operators.ts
var ASSIGN = 0;
var PIPE = 1;
var TERNARY = 2;
var RANGE = 12;
var POWER = 18;
var STRENGTH = {
  "|>": PIPE,
  or: 3,
  and: 4,
  "||": 6,
  "&&": 7,
  "|": 8,
  "&": 8,
  "^": 8,
  "==": 10,
  "!=": 10,
  "=~": 10,
  "!~": 10,
  "<=>": 10,
  "<": 11,
  "<=": 11,
  ">": 11,
  ">=": 11,
  "..": RANGE,
  "...": RANGE,
  "<<": 13,
  "+": 14,
  "-": 14,
  "*": 15,
  "/": 15,
  "//": 15,
  "%": 15,
  "**": POWER
};
var PREFIX_STRENGTH = { not: 5, "!": 16, "-": 16, "+": 16, await: 16, return: 0, break: 0, next: 0, raise: 0 };
function prefixed([prefixes, operand]) {
  return { kind: "prefixed", prefixes: toArray(prefixes), operand };
}
function onePrefixed(d) {
  return new List(null, prefixed(d));
}
function infix([token]) {
  return { kind: "infix", token };
}
function ternary([, then]) {
  return { kind: "ternary", then };
}
function operation([list, operator2, operand]) {
  return new List(new List(list, operator2), operand);
}
function resolve([list]) {
  const only = list.last;
  if (list.init === null && !("kind" in only)) return only;
  return new Climber(toArray(list)).climb(0);
}
var Climber = class {
  constructor(items2) {
    this.items = items2;
  }
  items;
  at = 0;
  climb(strength) {
    return this.extend(this.operand(), strength);
  }
  /** Continues `left` with the operators that bind at least as tightly as `strength`. */
  extend(left, strength) {
    let tree = left;
    for (let item = this.items[this.at]; item !== void 0; item = this.items[this.at]) {
      const binding = strengthOf(item);
      if (binding < strength) break;
      this.at++;
      if ("kind" in item && item.kind === "ternary") tree = conditional(tree, item.then, this.climb(binding));
      else tree = combine(item.token, tree, this.climb(binding === POWER || binding === ASSIGN ? binding : binding + 1));
    }
    return tree;
  }
  operand() {
    const item = this.items[this.at++];
    return "kind" in item ? this.applyPrefix(item, 0) : item;
  }
  applyPrefix(item, index) {
    const token = item.prefixes[index];
    const inner = index + 1 < item.prefixes.length ? this.applyPrefix(item, index + 1) : item.operand;
    return prefix(token, this.extend(inner, PREFIX_STRENGTH[token.text]));
  }
};
function strengthOf(item) {
  if (!("kind" in item)) return -1;
  if (item.kind !== "infix") return TERNARY;
  return item.token.type === "BINOP" ? STRENGTH[item.token.text] : ASSIGN;
}
function conditional(cond, then, otherwise) {
  return { type: "If", start: cond.start, end: otherwise.end, clauses: [{ cond, body: [then] }], else: [otherwise] };
}
function prefix(token, operand) {
  const { start: start2, text: text3 } = token;
  const { end: end2 } = operand;
  switch (text3) {
    case "await":
      return { type: "Await", start: start2, end: end2, operand };
    case "!":
    case "not":
      return { type: "Unary", start: start2, end: end2, op: "not", operand };
    case "-":
    case "+":
      return { type: "Unary", start: start2, end: end2, op: text3, operand };
    default:
      return jump(token, operand, end2);
  }
}
function combine(token, left, right) {
  const { start: start2 } = left;
  const { end: end2 } = right;
  switch (token.text) {
    case "|>":
      return pipe(left, right);
    case "and":
    case "&&":
      return { type: "Logical", start: start2, end: end2, op: "and", left, right };
    case "or":
    case "||":
      return { type: "Logical", start: start2, end: end2, op: "or", left, right };
    case "..":
    case "...":
      return range(left, right, token);
    default:
      if (token.type !== "BINOP") return assign(token, left, right);
      return { type: "Binary", start: start2, end: end2, op: token.text, left, right, opStart: token.start };
  }
}
function range(lo, right, token) {
  const hi = right === NO_END ? null : right;
  return { type: "Range", start: lo.start, end: hi?.end ?? token.end, lo, hi, exclusive: token.text === "..." };
}
function condition([list]) {
  for (let rest = list; rest !== null; rest = rest.init) {
    const item = rest.last;
    if ("kind" in item && item.kind === "infix" && item.token.type === "ASGN") return assignmentInCondition(item.token);
  }
  return resolve([list]);
}
function assignmentInCondition({ start: start2, end: end2 }) {
  return invalid("assignment-in-condition", "`=` assigns; use `==` to compare", start2, end2, "to assign here, put the assignment into parentheses");
}
function replaceLast(list, change) {
  return resolve([new List(list.init, change(list.last))]);
}
var CONSTANT = /^[A-Z][A-Z0-9_]*$/;
function assign(token, target, value) {
  const { start: start2 } = target;
  const { end: end2 } = value;
  if (token.text === "=") {
    if (target.type === "Ident" && CONSTANT.test(target.name)) {
      return { type: "ConstDecl", start: start2, end: end2, name: { start: start2, end: target.end, name: target.name }, value };
    }
    return { type: "Assign", start: start2, end: end2, target: asTarget(target), value };
  }
  const op = token.text.slice(0, -1);
  return { type: "OpAssign", start: start2, end: end2, op, target: asTarget(target), value, opStart: token.start };
}
function asTarget(node) {
  if (isTarget(node)) return node;
  const { start: start2, end: end2 } = node;
  return invalid("invalid-target", `cannot assign to ${describe(node)}`, start2, end2, "assign to a name, a field `x.name` or an element `x[i]`; `==` compares");
}
function isTarget(node) {
  if (node.type === "Ident") return !/[?!]$/.test(node.name);
  return node.type === "Member" || node.type === "Index" || node.type === "Error";
}
function describe(node) {
  if (node.type === "Call" || node.type === "Method") return "the result of a call";
  if (node.type === "Ident") return `\`${node.name}\`, because names of variables do not end in \`?\` or \`!\``;
  return node.type === "Int" || node.type === "Float" || node.type === "Str" || node.type === "Nil" || node.type === "Bool" ? "a literal" : "an expression";
}

// compiler/build/calls.ts
function ident([{ text: text3, start: start2, end: end2 }]) {
  return { type: "Ident", start: start2, end: end2, name: text3 };
}
function apply([value, trailer]) {
  return trailer(value);
}
function member(recv2, dot, name2) {
  return { type: "Member", start: recv2.start, end: name2.end, recv: recv2, name: name2.text, nameStart: name2.start, safe: dot.text === "&." };
}
function memberOf([dot, name2]) {
  return (recv2) => member(recv2, dot, name2);
}
function errorMember([recv2, dot, name2]) {
  return member(recv2, dot, name2);
}
function noArgs([, close3]) {
  return { args: [], end: close3.end };
}
function callArgs(d) {
  return { args: toArray(d[1]), end: d[d.length - 1].end };
}
function callWith([args]) {
  return (callee) => call(callee, args);
}
function call(callee, { args, end: end2 }) {
  const { start: start2 } = callee;
  if (callee.type === "Member") return method(callee, args, null, end2);
  if (callee.type === "Ident") {
    if (callee.name === "raise") return raise(start2, end2, args);
    if (callee.name === "await" && args.length === 1) return { type: "Await", start: start2, end: end2, operand: args[0] };
    if (isModuleForm(callee.name)) return moduleCall(callee, args, end2);
  }
  return { type: "Call", start: start2, end: end2, callee, args, block: null };
}
function method({ start: start2, recv: recv2, name: name2, nameStart, safe }, args, block2, end2) {
  return { type: "Method", start: start2, end: end2, recv: recv2, name: name2, nameStart, args, block: block2, safe };
}
function callOfValue([dot, { args, end: end2 }]) {
  if (dot.text === ".") return (callee) => ({ type: "Call", start: callee.start, end: end2, callee, args, block: null });
  return (recv2) => ({ type: "Method", start: recv2.start, end: end2, recv: recv2, name: "call", nameStart: dot.end, args, block: null, safe: true });
}
function indexBy([, list, close3]) {
  const args = namedToHash(toArray(list));
  return (recv2) => ({ type: "Index", start: recv2.start, end: close3.end, recv: recv2, args, safe: false });
}
function withBlock([block2]) {
  return (node) => attachBlock(node, block2);
}
function attachBlock(node, block2) {
  const { start: start2 } = node;
  const { end: end2 } = block2;
  switch (node.type) {
    case "Ident":
      return { type: "Call", start: start2, end: end2, callee: node, args: [], block: block2 };
    case "Member":
      return method(node, [], block2, end2);
    case "Call":
      if (node.block === null) return { type: "Call", start: start2, end: end2, callee: node.callee, args: node.args, block: block2 };
      break;
    case "Method":
      if (node.block === null) return { ...node, end: end2, block: block2 };
  }
  return invalid("block-without-call", "a block needs a call in front of it", block2.start, block2.start + 1, "a hash goes into parentheses: `f({a: 1})`");
}
function commandArgs([list]) {
  return { args: toArray(list), block: null };
}
function commandBlock([list, open2, parts, close3]) {
  return { args: toArray(list), block: block([open2, parts, close3]) };
}
function commandBlockParams([list, ...rest]) {
  return { args: toArray(list), block: blockParams2(rest) };
}
function command([list, , { args, block: block2 }]) {
  return replaceLast(list, (last) => commandCall(last, args, block2));
}
function commandCall(word2, args, block2) {
  const { start: start2 } = word2;
  const end2 = block2?.end ?? args.at(-1).end;
  switch (word2.type) {
    case "Return":
    case "Break":
    case "Next":
      return { ...word2, end: end2, value: jumpValue(args) };
    case "Raise":
      return { ...word2, end: end2, args };
    case "Member":
      return method(word2, args, block2, end2);
    default:
      return { type: "Call", start: start2, end: end2, callee: word2, args, block: block2 };
  }
}
function jumpValue(args) {
  const items2 = namedToHash(args);
  const [only] = items2;
  if (items2.length === 1 && only.type !== "Splat") return only;
  return { type: "Vector", start: only.start, end: items2.at(-1).end, items: items2 };
}
function named([label3, value]) {
  return { type: "NamedArg", start: label3.start, end: value.end, name: label3.text, value };
}
function namedShort([label3]) {
  return named([label3, ident([label3])]);
}

// compiler/build/control.ts
function ifElse([word2, cond, , stmts, elsifs, otherwise, close3]) {
  const clauses = [{ cond, body: toArray(stmts) }, ...toArray(elsifs)];
  return { type: "If", start: word2.start, end: close3.end, clauses, else: otherwise };
}
function elsif([list, , cond, , stmts]) {
  return new List(list, { cond, body: toArray(stmts) });
}
function elseBody([, stmts]) {
  return toArray(stmts);
}
function not(operand) {
  return { type: "Unary", start: operand.start, end: operand.end, op: "not", operand };
}
function unless([word2, cond, , stmts, otherwise, close3]) {
  return { type: "If", start: word2.start, end: close3.end, clauses: [{ cond: not(cond), body: toArray(stmts) }], else: otherwise };
}
function modifier([stmt, word2, cond]) {
  const { start: start2 } = stmt;
  const { end: end2 } = cond;
  const test = word2.text === "unless" || word2.text === "until" ? not(cond) : cond;
  if (word2.text === "if" || word2.text === "unless") return { type: "If", start: start2, end: end2, clauses: [{ cond: test, body: [stmt] }], else: null };
  const doWhile2 = stmt.type === "Begin";
  return { type: "While", start: start2, end: end2, cond: test, body: doWhile2 ? bodyOf(stmt) : [stmt], label: null, doWhile: doWhile2 };
}
function bodyOf(begin3) {
  const { rescues, ensure, stmts } = begin3.body;
  return rescues.length === 0 && ensure === null ? stmts : [begin3];
}
function whileLoop([word2, cond, , stmts, close3]) {
  return {
    type: "While",
    start: word2.start,
    end: close3.end,
    cond: word2.text === "until" ? not(cond) : cond,
    body: toArray(stmts),
    label: labelOf(word2),
    doWhile: false
  };
}
function doWhile([open2, stmts, word2, cond]) {
  return {
    type: "While",
    start: open2.start,
    end: cond.end,
    cond: word2.text === "until" ? not(cond) : cond,
    body: toArray(stmts),
    label: null,
    doWhile: true
  };
}
function loop([word2, , stmts, close3]) {
  const { start: start2, end: end2 } = word2;
  const cond = { type: "Bool", start: start2, end: end2, value: true };
  return { type: "While", start: start2, end: close3.end, cond, body: toArray(stmts), label: labelOf(word2), doWhile: false };
}
function forLoop([word2, targets, , iter, , stmts, close3]) {
  return { type: "For", start: word2.start, end: close3.end, targets: toArray(targets), iter, body: toArray(stmts), label: labelOf(word2) };
}
function labelOf({ extra }) {
  return extra === "" ? null : extra;
}
function caseBare([word2, , whens, otherwise, close3]) {
  return { type: "Case", start: word2.start, end: close3.end, subject: null, whens: toArray(whens), else: otherwise };
}
function caseOf([word2, subject, , whens, otherwise, close3]) {
  return { type: "Case", start: word2.start, end: close3.end, subject, whens: toArray(whens), else: otherwise };
}
function when([word2, list, then, stmts]) {
  const bodyStmts = toArray(stmts);
  return { start: word2.start, end: bodyStmts.at(-1)?.end ?? then.start, patterns: namedToHash(toArray(list)), body: bodyStmts };
}
function begin([word2, parts, close3]) {
  return { type: "Begin", start: word2.start, end: close3.end, body: body(word2, parts, close3) };
}

// compiler/build/statements.ts
function errorStatement([{ start: start2, end: end2 }]) {
  return { type: "Error", start: start2, end: end2 };
}
function targetItem([node]) {
  return asTarget(node);
}
function splatTarget([star, node]) {
  const target = node === void 0 ? null : asTarget(node);
  return { type: "SplatTarget", start: star.start, end: target?.end ?? star.end, target };
}
function groupTarget([open2, list, close3]) {
  return { type: "GroupTarget", start: open2.start, end: close3.end, targets: toArray(list) };
}
function multiAssign([, list, , values]) {
  const targets = toArray(list);
  const items2 = namedToHash(toArray(values));
  const [only] = items2;
  const { end: end2 } = items2.at(-1);
  const value = items2.length === 1 && only.type !== "Splat" ? only : { type: "Vector", start: only.start, end: end2, items: items2 };
  return { type: "MultiAssign", start: targets[0].start, end: end2, targets, value };
}
function destructureName([name2]) {
  return { key: name2.text, name: nameOf2(name2) };
}
function destructureRenamed([key, name2]) {
  return { key: key.text, name: nameOf2(name2) };
}
function destructure([open2, list, , , value]) {
  return { type: "HashDestructure", start: open2.start, end: value.end, entries: toArray(list), value };
}
function def([word2, name2, then, parts, close3]) {
  return defParams([word2, name2, [], then, parts, close3]);
}
function defParams([word2, name2, params, then, parts, close3]) {
  return {
    type: "Def",
    start: word2.start,
    end: close3.end,
    name: nameOf2(name2),
    params,
    body: body(then, parts, close3),
    doc: word2.extra,
    returns: then.extra === "" ? null : then.extra
  };
}
function record([word2, name2, fields2]) {
  return { type: "RecordDecl", start: word2.start, end: fields2.at(-1)?.end ?? name2.end, name: nameOf2(name2), fields: fields2, doc: word2.extra };
}
function enumeration(d) {
  const members = toArray(d[3]).map(nameOf2);
  return { type: "EnumDecl", start: d[0].start, end: d[d.length - 1].end, name: nameOf2(d[1]), members };
}
function errorDecl([word2, name2, , parent]) {
  return { type: "ErrorDecl", start: word2.start, end: (parent ?? name2).end, name: nameOf2(name2), parent: parent === void 0 ? null : nameOf2(parent) };
}
function constant([word2, name2, , value]) {
  return { type: "ConstDecl", start: word2.start, end: value.end, name: nameOf2(name2), value };
}

// compiler/generated/grammar.ts
var t = (type) => ({ type });
var start = "top";
var rules = [
  { name: "top", symbols: ["stmt", t("SEP")], postprocess: first },
  { name: "body", symbols: [], postprocess: none },
  { name: "body", symbols: ["body", "stmt", t("SEP")], postprocess: append },
  { name: "stmt", symbols: ["flat"], postprocess: resolve },
  { name: "stmt", symbols: ["flat", t("ARGS"), "cargs"], postprocess: command },
  { name: "stmt", symbols: ["stmt", t("MOD"), "cond"], postprocess: modifier },
  { name: "stmt", symbols: [t("MULTI"), "mlhs", t("ASGN"), "args"], postprocess: multiAssign },
  { name: "stmt", symbols: [t("LDESTR"), "dentries", t("RBRACE"), t("ASGN"), "expr"], postprocess: destructure },
  { name: "stmt", symbols: [t("DEF"), t("IDENT"), t("THEN"), "rbody", t("END")], postprocess: def },
  { name: "stmt", symbols: [t("DEF"), t("IDENT"), "params", t("THEN"), "rbody", t("END")], postprocess: defParams },
  { name: "stmt", symbols: [t("DO_LOOP"), "body", t("DO_WHILE"), "expr"], postprocess: doWhile },
  { name: "stmt", symbols: [t("RECORD"), t("IDENT"), "params"], postprocess: record },
  { name: "stmt", symbols: [t("ENUM"), t("IDENT"), t("LPARAM"), "names", t("RPAREN")], postprocess: enumeration },
  { name: "stmt", symbols: [t("ERRDECL"), t("IDENT")], postprocess: errorDecl },
  { name: "stmt", symbols: [t("ERRDECL"), t("IDENT"), t("LT"), t("IDENT")], postprocess: errorDecl },
  { name: "stmt", symbols: [t("CONST"), t("IDENT"), t("ASGN"), "expr"], postprocess: constant },
  { name: "stmt", symbols: [t("USE"), t("LIT")], postprocess: useModule },
  { name: "stmt", symbols: [t("USE"), t("LIT"), t("AS"), t("IDENT")], postprocess: useModule },
  { name: "stmt", symbols: [t("ERROR")], postprocess: errorStatement },
  { name: "cargs", symbols: ["args"], postprocess: commandArgs },
  { name: "cargs", symbols: ["args", t("DO_CMD"), "rbody", t("END")], postprocess: commandBlock },
  { name: "cargs", symbols: ["args", t("DO_CMD"), "bparams", "rbody", t("END")], postprocess: commandBlockParams },
  { name: "mlhs", symbols: ["mitem", t("COMMA"), "mitem"], postprocess: two },
  { name: "mlhs", symbols: ["mlhs", t("COMMA"), "mitem"], postprocess: appendItem },
  { name: "mitem", symbols: ["postfix"], postprocess: targetItem },
  { name: "mitem", symbols: [t("SPLAT"), "postfix"], postprocess: splatTarget },
  { name: "mitem", symbols: [t("SPLAT")], postprocess: splatTarget },
  { name: "mitem", symbols: [t("LPAREN"), "mlhs", t("RPAREN")], postprocess: groupTarget },
  { name: "dentries", symbols: ["dentry"], postprocess: one },
  { name: "dentries", symbols: ["dentries", t("COMMA"), "dentry"], postprocess: appendItem },
  { name: "dentry", symbols: [t("IDENT")], postprocess: destructureName },
  { name: "dentry", symbols: [t("LABEL")], postprocess: destructureName },
  { name: "dentry", symbols: [t("LABEL"), t("IDENT")], postprocess: destructureRenamed },
  { name: "names", symbols: [t("IDENT")], postprocess: one },
  { name: "names", symbols: ["names", t("COMMA"), t("IDENT")], postprocess: appendItem },
  { name: "expr", symbols: ["flat"], postprocess: resolve },
  { name: "cond", symbols: ["flat"], postprocess: condition },
  { name: "flat", symbols: ["postfix"], postprocess: one },
  { name: "flat", symbols: ["prefixes", "postfix"], postprocess: onePrefixed },
  { name: "flat", symbols: ["flat", "infix", "operand"], postprocess: operation },
  { name: "infix", symbols: [t("BINOP")], postprocess: infix },
  { name: "infix", symbols: [t("ASGN")], postprocess: infix },
  { name: "infix", symbols: [t("OPASGN")], postprocess: infix },
  { name: "infix", symbols: [t("QMARK"), "expr", t("COLON")], postprocess: ternary },
  { name: "operand", symbols: ["postfix"], postprocess: first },
  { name: "operand", symbols: ["prefixes", "postfix"], postprocess: prefixed },
  { name: "prefixes", symbols: [t("PREFIX")], postprocess: one },
  { name: "prefixes", symbols: ["prefixes", t("PREFIX")], postprocess: append },
  { name: "postfix", symbols: [t("LIT")], postprocess: literal },
  { name: "postfix", symbols: [t("IDENT")], postprocess: ident },
  { name: "postfix", symbols: ["postfix", "trailer"], postprocess: apply },
  { name: "postfix", symbols: [t("STR_BEG"), "parts", t("STR_END")], postprocess: interpolated },
  { name: "postfix", symbols: [t("LPAREN"), "stmt", t("RPAREN")], postprocess: second },
  { name: "postfix", symbols: [t("LBRACK"), t("RBRACK")], postprocess: emptyVector },
  { name: "postfix", symbols: [t("LBRACK"), "args", t("RBRACK")], postprocess: vector },
  { name: "postfix", symbols: [t("LBRACE"), t("RBRACE")], postprocess: emptyHash },
  { name: "postfix", symbols: [t("LBRACE"), "pairs", t("RBRACE")], postprocess: hash },
  { name: "postfix", symbols: [t("LAMBDA"), "block"], postprocess: lambda },
  { name: "postfix", symbols: [t("LAMBDA"), "params", "block"], postprocess: lambdaParams },
  { name: "postfix", symbols: [t("IF"), "cond", t("THEN"), "body", "elsifs", "orelse", t("END")], postprocess: ifElse },
  { name: "postfix", symbols: [t("UNLESS"), "cond", t("THEN"), "body", "orelse", t("END")], postprocess: unless },
  { name: "postfix", symbols: [t("CASE"), t("THEN"), "whens", "orelse", t("END")], postprocess: caseBare },
  { name: "postfix", symbols: [t("CASE"), "expr", t("THEN"), "whens", "orelse", t("END")], postprocess: caseOf },
  { name: "postfix", symbols: [t("BEGIN"), "rbody", t("END")], postprocess: begin },
  { name: "postfix", symbols: [t("WHILE"), "expr", t("THEN"), "body", t("END")], postprocess: whileLoop },
  { name: "postfix", symbols: [t("FOR"), "patterns", t("IN"), "expr", t("THEN"), "body", t("END")], postprocess: forLoop },
  { name: "postfix", symbols: [t("LOOP"), t("THEN"), "body", t("END")], postprocess: loop },
  { name: "trailer", symbols: [t("DOT"), t("IDENT")], postprocess: memberOf },
  { name: "trailer", symbols: [t("DOT"), "callargs"], postprocess: callOfValue },
  { name: "trailer", symbols: ["callargs"], postprocess: callWith },
  { name: "trailer", symbols: [t("LINDEX"), "args", t("RBRACK")], postprocess: indexBy },
  { name: "trailer", symbols: ["block"], postprocess: withBlock },
  { name: "callargs", symbols: [t("LCALL"), t("RPAREN")], postprocess: noArgs },
  { name: "callargs", symbols: [t("LCALL"), "args", t("RPAREN")], postprocess: callArgs },
  { name: "args", symbols: ["arg"], postprocess: one },
  { name: "args", symbols: ["args", t("COMMA"), "arg"], postprocess: appendItem },
  { name: "arg", symbols: ["flat"], postprocess: resolve },
  { name: "arg", symbols: [t("LABEL")], postprocess: namedShort },
  { name: "arg", symbols: [t("LABEL"), "expr"], postprocess: named },
  { name: "arg", symbols: [t("SPLAT"), "expr"], postprocess: splat },
  { name: "pairs", symbols: ["pair"], postprocess: one },
  { name: "pairs", symbols: ["pairs", t("COMMA"), "pair"], postprocess: appendItem },
  { name: "pair", symbols: [t("IDENT")], postprocess: pairShort },
  { name: "pair", symbols: [t("LABEL")], postprocess: pairShort },
  { name: "pair", symbols: [t("LABEL"), "expr"], postprocess: pairLabel },
  { name: "pair", symbols: ["expr", t("COLON"), "expr"], postprocess: pairColon },
  { name: "pair", symbols: ["expr", t("FATARROW"), "expr"], postprocess: pairArrow },
  { name: "pair", symbols: [t("SPLAT"), "expr"], postprocess: splat },
  { name: "parts", symbols: [], postprocess: none },
  { name: "parts", symbols: ["parts", t("TEXT")], postprocess: append },
  { name: "parts", symbols: ["parts", t("IBEG"), "stmt", t("IEND")], postprocess: interpolation },
  { name: "parts", symbols: ["parts", t("IBEG"), t("IEND")], postprocess: first },
  { name: "block", symbols: [t("DO_BLOCK"), "rbody", t("END")], postprocess: block },
  { name: "block", symbols: [t("DO_BLOCK"), "bparams", "rbody", t("END")], postprocess: blockParams2 },
  { name: "block", symbols: [t("LBLOCK"), "body", t("RBRACE")], postprocess: brace },
  { name: "block", symbols: [t("LBLOCK"), "bparams", "body", t("RBRACE")], postprocess: braceParams },
  { name: "bparams", symbols: [t("PIPE"), t("PIPE")], postprocess: none },
  { name: "bparams", symbols: [t("PIPE"), "plist", t("PIPE")], postprocess: second },
  { name: "params", symbols: [t("LPARAM"), t("RPAREN")], postprocess: noParams },
  { name: "params", symbols: [t("LPARAM"), "plist", t("RPAREN")], postprocess: paramList },
  { name: "plist", symbols: ["param"], postprocess: one },
  { name: "plist", symbols: ["plist", t("COMMA"), "param"], postprocess: appendItem },
  { name: "param", symbols: [t("IDENT")], postprocess: plainParam },
  { name: "param", symbols: [t("IDENT"), t("ASGN"), "expr"], postprocess: defaultParam },
  { name: "param", symbols: [t("LABEL")], postprocess: namedParam },
  { name: "param", symbols: [t("LABEL"), "expr"], postprocess: namedParamDefault },
  { name: "param", symbols: [t("TLABEL")], postprocess: plainParam },
  { name: "param", symbols: [t("TLABEL"), t("ASGN"), "expr"], postprocess: defaultParam },
  { name: "param", symbols: [t("SPLAT"), t("IDENT")], postprocess: restParam },
  { name: "param", symbols: [t("LPAREN"), "patterns", t("RPAREN")], postprocess: groupParam },
  { name: "patterns", symbols: ["pattern"], postprocess: one },
  { name: "patterns", symbols: ["patterns", t("COMMA"), "pattern"], postprocess: appendItem },
  { name: "pattern", symbols: [t("IDENT")], postprocess: namePattern },
  { name: "pattern", symbols: [t("SPLAT"), t("IDENT")], postprocess: restPattern },
  { name: "pattern", symbols: [t("SPLAT")], postprocess: restPattern },
  { name: "pattern", symbols: [t("LPAREN"), "patterns", t("RPAREN")], postprocess: groupPattern },
  { name: "elsifs", symbols: [], postprocess: none },
  { name: "elsifs", symbols: ["elsifs", t("ELSIF"), "cond", t("THEN"), "body"], postprocess: elsif },
  { name: "orelse", symbols: [], postprocess: none },
  { name: "orelse", symbols: [t("ELSE"), "body"], postprocess: elseBody },
  { name: "whens", symbols: ["when"], postprocess: one },
  { name: "whens", symbols: ["whens", "when"], postprocess: append },
  { name: "when", symbols: [t("WHEN"), "args", t("THEN"), "body"], postprocess: when },
  { name: "rbody", symbols: ["body"], postprocess: plainBody },
  { name: "rbody", symbols: ["body", "handlers"], postprocess: handledBody },
  { name: "handlers", symbols: ["rescues"], postprocess: rescuesOnly },
  { name: "handlers", symbols: ["rescues", t("ELSE"), "body"], postprocess: rescuesElse },
  { name: "handlers", symbols: ["rescues", t("ENSURE"), "body"], postprocess: rescuesEnsure },
  { name: "handlers", symbols: ["rescues", t("ELSE"), "body", t("ENSURE"), "body"], postprocess: rescuesElseEnsure },
  { name: "handlers", symbols: [t("ENSURE"), "body"], postprocess: ensureOnly },
  { name: "rescues", symbols: ["rescue"], postprocess: one },
  { name: "rescues", symbols: ["rescues", "rescue"], postprocess: append },
  { name: "rescue", symbols: [t("RESCUE"), t("THEN"), "body"], postprocess: rescueAll },
  { name: "rescue", symbols: [t("RESCUE"), "rtypes", t("THEN"), "body"], postprocess: rescueTypes },
  { name: "rescue", symbols: [t("RESCUE"), "rtypes", t("IDENT"), t("THEN"), "body"], postprocess: rescueNamed },
  { name: "rescue", symbols: [t("RESCUE"), "rtypes", t("FATARROW"), t("IDENT"), t("THEN"), "body"], postprocess: rescueArrow },
  { name: "rescue", symbols: [t("RESCUE"), t("FATARROW"), t("IDENT"), t("THEN"), "body"], postprocess: rescueAllNamed },
  { name: "rtypes", symbols: ["rtype"], postprocess: one },
  { name: "rtypes", symbols: ["rtypes", t("COMMA"), "rtype"], postprocess: appendItem },
  { name: "rtype", symbols: [t("IDENT")], postprocess: ident },
  { name: "rtype", symbols: ["rtype", t("DOT"), t("IDENT")], postprocess: errorMember }
];

// compiler/generated/lookahead.ts
var terminals = ["$", "SEP", "ARGS", "MOD", "MULTI", "ASGN", "LDESTR", "RBRACE", "DEF", "IDENT", "THEN", "END", "DO_LOOP", "DO_WHILE", "RECORD", "ENUM", "LPARAM", "RPAREN", "ERRDECL", "LT", "CONST", "USE", "LIT", "AS", "ERROR", "DO_CMD", "COMMA", "SPLAT", "LPAREN", "LABEL", "BINOP", "OPASGN", "QMARK", "COLON", "PREFIX", "STR_BEG", "STR_END", "LBRACK", "RBRACK", "LBRACE", "LAMBDA", "IF", "UNLESS", "CASE", "BEGIN", "WHILE", "FOR", "IN", "LOOP", "DOT", "LINDEX", "LCALL", "FATARROW", "TEXT", "IBEG", "IEND", "DO_BLOCK", "LBLOCK", "PIPE", "TLABEL", "ELSIF", "ELSE", "WHEN", "ENSURE", "RESCUE"];
var sets = [
  "00001010110010110010111010001000001101011111111010000000000000000",
  "01000000000000000000000000000000000000000000000000000000000000000",
  "10000000000000000000000000000000000000000000000000000000000000000",
  "00001011110111110010111010001000001101011111111010000000000011111",
  "00000000010000000000001000001000001101011111111010000000000000000",
  "01010000000000000100000000000000000000000000000000000001000000000",
  "00100000000000000000000000000000000000000000000000000000000000000",
  "00000000010000000000001000011100001101011111111010000000000000000",
  "00010000000000000000000000000000000000000000000000000000000000000",
  "00001000000000000000000000000000000000000000000000000000000000000",
  "00000000010000000000001000011000000101011111111010000000000000000",
  "00000100000000000000000000000000000000000000000000000000000000000",
  "00000010000000000000000000000000000000000000000000000000000000000",
  "00000000010000000000000000000100000000000000000000000000000000000",
  "00000001000000000000000000000000000000000000000000000000000000000",
  "00000000100000000000000000000000000000000000000000000000000000000",
  "00000000010000000000000000000000000000000000000000000000000000000",
  "00000000001000000000000000000000000000000000000000000000000000000",
  "00001010110110110010111010001000001101011111111010000000000000011",
  "00000000000100000000000000000000000000000000000000000000000000000",
  "00000000000000001000000000000000000000000000000000000000000000000",
  "00000000000010000000000000000000000000000000000000000000000000000",
  "00001010110011110010111010001000001101011111111010000000000000000",
  "00000000000001000000000000000000000000000000000000000000000000000",
  "00000000000000100000000000000000000000000000000000000000000000000",
  "00000000000000010000000000000000000000000000000000000000000000000",
  "00000000000000000100000000000000000000000000000000000000000000000",
  "00000000000000000010000000000000000000000000000000000000000000000",
  "00000000000000000001000000000000000000000000000000000000000000000",
  "00000000000000000000100000000000000000000000000000000000000000000",
  "00000000000000000000010000000000000000000000000000000000000000000",
  "00000000000000000000001000000000000000000000000000000000000000000",
  "00000000000000000000000100000000000000000000000000000000000000000",
  "00000000000000000000000010000000000000000000000000000000000000000",
  "00000000000000000000000001000000000000000000000000000000000000000",
  "00000000000000000000000000000000000000000000000000000000001000000",
  "00000000000000000000000000100000000000000000000000000000000000000",
  "00000100000000000100000000100000000000000000000000000000000000000",
  "00000000010000000000001000001000000101011111111010000000000000000",
  "00000000000000000000000000010000000000000000000000000000000000000",
  "00000000000000000000000000001000000000000000000000000000000000000",
  "00000001000000000000000000100000000000000000000000000000000000000",
  "00000000000000000000000000000100000000000000000000000000000000000",
  "00000000000000000100000000100000000000000000000000000000000000000",
  "01010001001000000100000001100000010000100000000000001001001000000",
  "01010000001000000100000000000000000000000000000000000001000000000",
  "01110101001000000100000001100011110000100000000000001001001000000",
  "00000000000000000000000000000000001000000000000000000000000000000",
  "00000100000000000000000000000011100000000000000000000000000000000",
  "00000000000000000000000000000010000000000000000000000000000000000",
  "00000000000000000000000000000001000000000000000000000000000000000",
  "00000000000000000000000000000000100000000000000000000000000000000",
  "00000000000000000000000000000000010000000000000000000000000000000",
  "01110101001000000100000001100011110000100000000001111001111000000",
  "00000000000000000000000000000000000000000000000001110000110000000",
  "00000000000000000000000000000000000100000000000000000000000000000",
  "00000000000000000000000000000000000010000000000000000110000000000",
  "00000000000000000000000000000000000010000000000000000000000000000",
  "00000000000000000000000000000000000001000000000000000000000000000",
  "00000000000000000000000000000000000000100000000000000000000000000",
  "00000000000000000000000000000000000000010000000000000000000000000",
  "00000000000000000000000000000000000000001000000000000000000000000",
  "00000000000000000000000000000000000000000000000000000000110000000",
  "00000000000000000000000000000000000000000100000000000000000000000",
  "00001010110110110010111010001000001101011111111010000000000011000",
  "00000000000100000000000000000000000000000000000000000000000011000",
  "00000000000100000000000000000000000000000000000000000000000001000",
  "00000000000000000000000000000000000000000010000000000000000000000",
  "00001010110110110010111010001000001101011111111010000000000001000",
  "00000000000000000000000000000000000000000001000000000000000000000",
  "00000000000000000000000000000000000000000000000000000000000000100",
  "00000000000000000000000000000000000000000000100000000000000000000",
  "00000000000000000000000000000000000000000000010000000000000000000",
  "00001010110110110010111010001000001101011111111010000000000000000",
  "00000000000000000000000000000000000000000000001000000000000000000",
  "00000000010000000000000000011000000000000000000000000000000000000",
  "00000000000000000000000000000000000000000000000100000000000000000",
  "00000000000000000000000000000000000000000000000010000000000000000",
  "00000000000000000000000000000000000000000000000001000000000000000",
  "00000000000000000000000000000000000000000000000000010000000000000",
  "00000000000000000000000000000000000000000000000000100000000000000",
  "01010000001000000100000001100000000000100000000000000001000000000",
  "00000000000000000000000000000000000000000000000000001000000000000",
  "00000000000000000000000000000000000000000000000000000110000000000",
  "00000000000000000000000000000000000000000000000000000100000000000",
  "00000000000000000000000000000000000000000000000000000010000000000",
  "00000000000000000000000000000000000000000000000000000001000000000",
  "00000000000000000000000000000000000000000000000000000000100000000",
  "00000000000000000000000000000000000000000000000000000000010000000",
  "00001011110010110010111010001000001101011111111010000000000000000",
  "00001011110110110010111010001000001101011111111010000000000000011",
  "00000000010000000000000000011100000000000000000000000000000100000",
  "01010000001000000100000000000000000000000000000000000001110000000",
  "00000000000000000100000000100000000000000000000000000000001000000",
  "00000000000000000000000000000000000000000000000000000000000100000",
  "00000000000000000100000000100000000000000000000100000000000000000",
  "00000000000000000000000000000000000000000000000000000000000010000",
  "00000000000000000000000000000000000000000000000000000000000001000",
  "00000000000100000000000000000000000000000000000000000000000001100",
  "00001010110110110010111010001000001101011111111010000000000001100",
  "00001010110010110010111010001000001101011111111010000000000000011",
  "00000000000000000000000000000000000000000000000000000000000000011",
  "00000000000000000000000000000000000000000000000000000000000000001",
  "00000000000000000000000000000000000000000000000000000000000000010",
  "00001010110010110010111010001000001101011111111010000000000000010",
  "00000000000100000000000000000000000000000000000000000000000001011",
  "00001010110110110010111010001000001101011111111010000000000001011",
  "00000000011000000000000000100000000000000000000000001000000000000",
  "00000000011000000000000000100000000000000000000001001000000000000"
];
var items = [
  [0, 1, 2],
  [3],
  [0, 0, 1, 3],
  [4, 5],
  [4, 6, 7, 5],
  [0, 8, 4, 5],
  [9, 10, 11, 7, 5],
  [12, 13, 14, 11, 4, 5],
  [15, 16, 17, 18, 19, 5],
  [15, 16, 20, 17, 18, 19, 5],
  [21, 22, 23, 4, 5],
  [24, 16, 20, 5],
  [25, 16, 20, 16, 26, 5],
  [27, 16, 5],
  [27, 16, 28, 16, 5],
  [29, 16, 11, 4, 5],
  [30, 31, 5],
  [30, 31, 32, 16, 5],
  [33, 5],
  [7, 5],
  [7, 34, 18, 19, 5],
  [7, 34, 35, 18, 19, 5],
  [10, 36, 10, 37],
  [10, 36, 10, 37],
  [38, 37],
  [39, 38, 37],
  [39, 37],
  [40, 10, 26, 37],
  [13, 41],
  [13, 36, 13, 41],
  [16, 41],
  [42, 41],
  [42, 16, 41],
  [16, 43],
  [16, 36, 16, 43],
  [4, 44],
  [4, 45],
  [38, 46],
  [47, 38, 46],
  [4, 48, 4, 46],
  [49, 4],
  [11, 4],
  [50, 4],
  [51, 4, 52, 4],
  [38, 46],
  [47, 38, 46],
  [47, 4],
  [47, 47, 4],
  [31, 53],
  [16, 53],
  [38, 54, 53],
  [55, 56, 57, 53],
  [40, 0, 26, 53],
  [58, 59, 53],
  [58, 7, 59, 53],
  [60, 14, 53],
  [60, 7, 14, 53],
  [61, 62, 53],
  [61, 20, 62, 53],
  [63, 4, 17, 64, 65, 66, 19, 53],
  [67, 4, 17, 68, 66, 19, 53],
  [69, 17, 70, 66, 19, 53],
  [69, 4, 17, 70, 66, 19, 53],
  [71, 18, 19, 53],
  [72, 4, 17, 73, 19, 53],
  [74, 75, 76, 4, 17, 73, 19, 53],
  [77, 17, 73, 19, 53],
  [78, 16, 53],
  [78, 79, 53],
  [79, 53],
  [80, 7, 59, 53],
  [62, 53],
  [79, 26, 53],
  [79, 7, 26, 53],
  [7, 81],
  [7, 36, 7, 81],
  [4, 81],
  [42, 81],
  [42, 4, 81],
  [39, 4, 81],
  [7, 41],
  [7, 36, 7, 41],
  [16, 41],
  [42, 41],
  [42, 4, 41],
  [4, 52, 4, 41],
  [4, 82, 4, 41],
  [39, 4, 41],
  [56],
  [83, 84, 56],
  [83, 85, 0, 86, 56],
  [83, 85, 86, 56],
  [87, 18, 19, 53],
  [87, 35, 18, 19, 53],
  [88, 89, 14, 53],
  [88, 35, 89, 14, 53],
  [35, 35, 90],
  [35, 91, 35, 90],
  [20, 26, 92],
  [20, 91, 26, 92],
  [91, 93],
  [91, 36, 91, 93],
  [16, 93],
  [16, 11, 4, 93],
  [42, 93],
  [42, 4, 93],
  [94, 93],
  [94, 11, 4, 93],
  [39, 16, 93],
  [40, 75, 26, 93],
  [75, 95],
  [75, 36, 75, 95],
  [16, 95],
  [39, 16, 95],
  [39, 95],
  [40, 75, 26, 95],
  [65],
  [96, 96, 4, 17, 64, 65],
  [19],
  [97, 73, 19],
  [70, 98],
  [70, 70, 98],
  [70, 7, 17, 99, 98],
  [73, 19],
  [100, 101, 19],
  [102, 19],
  [102, 97, 73, 19],
  [102, 103, 73, 19],
  [102, 97, 104, 103, 73, 19],
  [103, 73, 19],
  [102, 105],
  [102, 102, 105],
  [102, 17, 106, 105],
  [102, 16, 17, 106, 105],
  [102, 16, 16, 17, 106, 105],
  [102, 16, 82, 16, 17, 106, 105],
  [102, 82, 16, 17, 106, 105],
  [16, 107],
  [16, 36, 16, 107],
  [16, 108],
  [16, 78, 16, 108]
];

// compiler/earley.ts
var grammar = import_nearley.default.Grammar.fromCompiled({
  ParserStart: start,
  ParserRules: rules.map(({ name: name2, symbols, postprocess }) => ({ name: name2, symbols, postprocess })),
  Lexer: { next: () => void 0 }
});
var rules2 = grammar.rules;
var byName = grammar.byName;
var ANY = terminals.length;
var UNKNOWN = terminals.length + 1;
var ids = new Map(terminals.map((type, index) => [type, index]));
var bitsOf = sets.map((set) => Uint8Array.from([...set, "1", "0"], Number));
rules2.forEach((rule, index) => {
  rule.allowed = items[index].map((set) => bitsOf[set]);
});
var predictions = Array.from({ length: terminals.length + 2 }, () => /* @__PURE__ */ new Map());
function predicted(name2, next) {
  const known = predictions[next];
  let list = known.get(name2);
  if (list === void 0) {
    list = byName[name2].filter(({ allowed }) => allowed[0][next] === 1);
    known.set(name2, list);
  }
  return list;
}
var probe = new import_nearley.default.Parser(grammar);
var PlainColumn = probe.table[0].constructor;
var NewItem = probe.table[0].states[0].constructor;
var lookahead = ANY;
var LookaheadColumn = class extends PlainColumn {
  predict(name2) {
    const wantedBy = this.wants[name2];
    for (const rule of predicted(name2, lookahead)) this.states.push(new NewItem(rule, 0, this.index, wantedBy));
  }
  complete(left, right) {
    if (left.rule.allowed[left.dot + 1][lookahead] === 1) this.states.push(left.nextState(right));
  }
};
function idOf(type) {
  return ids.get(type) ?? UNKNOWN;
}
var firstColumns = /* @__PURE__ */ new Map();
function firstColumn(next) {
  const known = firstColumns.get(next);
  if (known !== void 0) return known;
  const column = new LookaheadColumn(grammar, 0);
  lookahead = next;
  column.wants[start] = [];
  column.predict(start);
  column.process();
  firstColumns.set(next, column);
  return column;
}
function advance(column, tokens, index, from, next) {
  const token = tokens[index];
  const { type } = token;
  const following = new LookaheadColumn(grammar, index - from + 1);
  const { scannable } = column;
  const child = { data: token, token, isToken: true, reference: index - from };
  for (let i = scannable.length - 1; i >= 0; i--) {
    const item = scannable[i];
    const { rule, dot } = item;
    if (rule.symbols[dot].type === type && rule.allowed[dot + 1][next] === 1) following.states.push(item.nextState(child));
  }
  lookahead = next;
  following.process();
  return following;
}
function parseStatement(tokens, from, to) {
  let before = null;
  let column = firstColumn(idOf(tokens[from].type));
  for (let index = from; index < to; index++) {
    const next = index + 1 < to ? idOf(tokens[index + 1].type) : 0;
    const following = advance(column, tokens, index, from, next);
    if (following.states.length === 0) return { tree: null, failure: explainFailure(before, column, tokens, index, from) };
    before = column;
    column = following;
  }
  const done = column.states.find(({ rule, isComplete, reference }) => isComplete && reference === 0 && rule.name === start);
  if (done === void 0) return { tree: null, failure: { at: to, waiting: column.scannable } };
  return { tree: done.data, failure: null };
}
function explainFailure(before, column, tokens, index, from) {
  const { type } = tokens[index];
  const fits = column.scannable.some(({ rule, dot }) => rule.symbols[dot].type === type);
  if (fits) return { at: index + 1, waiting: advance(column, tokens, index, from, ANY).scannable };
  return { at: index, waiting: before === null ? firstColumn(ANY).scannable : advance(before, tokens, index - 1, from, ANY).scannable };
}

// compiler/source.ts
var MAX_SOURCE = 1e7;
var MAX_REPORTED = 10;
var LONE_SURROGATE = "[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]";
var FORBIDDEN = new RegExp(`\\0|\\r(?!\\n)|[\\u202a-\\u202e\\u2066-\\u2069]|${LONE_SURROGATE}`, "g");
function prepareSource(original) {
  if (original.length > MAX_SOURCE) {
    return { text: "", problems: [problem("file-too-large", `the file has more than ${MAX_SOURCE} characters`, 0, 0)] };
  }
  const text3 = original.startsWith("\uFEFF") ? ` ${original.slice(1)}` : original;
  const problems = [];
  const clean = text3.replace(FORBIDDEN, (character2, at) => {
    if (problems.length < MAX_REPORTED && !(character2 === "\r" && problems.some(({ code }) => code === "lone-carriage-return"))) {
      problems.push(describe2(character2, at));
    }
    return character2 === "\r" ? "\n" : " ";
  });
  return { text: clean, problems };
}
function describe2(character2, at) {
  const end2 = at + 1;
  const number2 = `U+${character2.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (character2 === "\0") return problem("nul-character", "the text holds a NUL character", at, end2, [], "in a string write `\\0`");
  if (character2 === "\r") return problem("lone-carriage-return", "this line ends with a carriage return alone", at, end2, [], "save the file with line ends LF or CRLF");
  if (/[\ud800-\udfff]/.test(character2)) return problem("invalid-text", `half of a surrogate pair (${number2}) is no character`, at, end2, [], "save the file as UTF-8");
  return problem("bidi-control", `the invisible character ${number2} changes the direction of writing and can hide code`, at, end2, [], `in a string write \`\\u{${character2.charCodeAt(0).toString(16)}}\``);
}

// compiler/lexer.ts
var import_moo = __toESM(require_moo(), 1);
var PUNCTUATION = {
  newline: { match: "\n", lineBreaks: true },
  open: ["(", "[", "{"],
  close: [")", "]", "}"],
  comma: ",",
  semicolon: ";"
};
var LITERALS = {
  word: /[\p{L}_][\p{L}\p{N}\p{M}_]*(?:\?(?!=[^=~>])|!(?!=))?/u,
  number: /0[xXbBoO][\p{L}\p{N}_]*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9][0-9_]*)?[\p{L}\p{N}_]*/u,
  triple: /"""/u,
  string: {
    match: [
      /'''[^'\\]*(?:(?:\\[^]|'(?!''))[^'\\]*)*'''/u,
      /:?"[^"\\#]*(?:(?:\\[^]|#(?!\{))[^"\\#]*)*"/u,
      /'(?!'')[^'\\]*(?:\\[^][^'\\]*)*'/u
    ],
    lineBreaks: true
  },
  quote: /:?"|'''|'/u
};
var TAIL = { error: import_moo.default.error };
var INTERPOLATION = /#\{/u;
var VALUE = {
  ...PUNCTUATION,
  ...LITERALS,
  heredoc: /<<[~-]?(?:[A-Z_][A-Za-z0-9_]*|'[A-Za-z_][A-Za-z0-9_]*'|"[A-Za-z_][A-Za-z0-9_]*")/u,
  symbol: /:[\p{L}_][\p{L}\p{N}\p{M}_]*(?:[?!](?!=))?/u,
  words: { match: /%w(?:\[[^\]]*\]|\([^)]*\)|\{[^}]*\})/u, lineBreaks: true },
  regex: /\/(?:[^/\\\n[#]|\\[^\n]|#(?!\{)|\[(?:[^\]\\\n#]|\\[^\n]|#(?!\{))*\])*\/[imsx]*/u,
  arrow: /->/u,
  fatArrow: /=>/u,
  range: /\.\.\.?/u,
  operator: /\*\*|\|\||\|>|&&|<=>|<<|[<>=!]=|=~|!~|[-+*%|&^!<>]/u,
  slash: /\//u,
  assign: /=/u,
  dot: /&?\./u,
  question: /\?/u,
  colon: /:/u,
  ...TAIL
};
var OPERATOR = {
  ...PUNCTUATION,
  range: /\.\.\.?/u,
  dot: /&?\./u,
  ...LITERALS,
  opAssign: /(?:\*\*|\/\/|\|\||&&|[-+*/%|])=/u,
  fatArrow: /=>/u,
  arrow: /->/u,
  operator: /\*\*|\/\/|==|!=|<=>|<=|>=|=~|!~|&&|\|\||\|>|<<|[-<>+*/%|&^!]/u,
  assign: /=/u,
  question: /\?/u,
  colon: /:/u,
  ...TAIL
};
var inside = (text3, end2) => ({
  text: { match: text3, lineBreaks: true },
  interpolation: INTERPOLATION,
  ...end2 === null ? {} : { stringEnd: { match: end2, lineBreaks: true } },
  ...TAIL
});
var prototype = import_moo.default.states({
  value: VALUE,
  operator: OPERATOR,
  quoted: inside(/(?:[^"\\#]+|\\[^]|#(?!\{))+/u, /"/u),
  tripled: inside(/(?:[^"\\#]+|\\[^]|#(?!\{)|"(?!""))+/u, /"""/u),
  heredoc: inside(/(?:[^\\#]+|\\[^]|#(?!\{))+/u, null),
  // The bound on a bracket's length keeps a line of many `[` linear.
  regex: inside(/(?:[^/\\\n#[]|\\[^\n]|#(?!\{)|\[(?:[^\]\\\n#]|\\[^\n]){0,100}\]|\[)+/u, /\/[imsx]*|\n/u)
}, "value");
function createLexer(text3) {
  const lexer = prototype.clone();
  lexer.reset(text3);
  return lexer;
}

// compiler/layout/annotations.ts
var NAME = /[ \t]*(?:[A-Z][\p{L}\p{N}_]*|nil(?![\p{L}\p{N}_]))\??/uy;
var UNION = /[ \t]*\|/uy;
var AFTER_PARAMETER = /[ \t\r]*(?:[,)\n#]|=(?![=~>]))/uy;
function annotationEnd(text3, at) {
  let end2 = at;
  for (; ; ) {
    NAME.lastIndex = end2;
    if (!NAME.test(text3)) return -1;
    end2 = afterArguments(text3, NAME.lastIndex);
    UNION.lastIndex = end2;
    if (!UNION.test(text3)) return end2;
    end2 = UNION.lastIndex;
  }
}
function parameterAnnotationEnd(text3, at) {
  const end2 = annotationEnd(text3, at);
  if (end2 < 0) return -1;
  AFTER_PARAMETER.lastIndex = end2;
  return AFTER_PARAMETER.test(text3) ? end2 : -1;
}
function afterArguments(text3, at) {
  if (text3[at] !== "[") return at;
  let depth = 0;
  for (let i = at; i < text3.length && text3[i] !== "\n"; i++) {
    if (text3[i] === "[") depth++;
    if (text3[i] === "]" && --depth === 0) return text3[i + 1] === "?" ? i + 2 : i + 1;
  }
  return at;
}

// compiler/layout/unclosed.ts
var CLOSER = {
  paren: ["RPAREN", ")"],
  call: ["RPAREN", ")"],
  params: ["RPAREN", ")"],
  vector: ["RBRACK", "]"],
  index: ["RBRACK", "]"],
  hash: ["RBRACE", "}"],
  brace: ["RBRACE", "}"],
  interpolation: ["IEND", "}"],
  string: ["STR_END", '"']
};
function reportUnclosed(layout, frame, start2, end2) {
  const { opener } = frame;
  const closer = frame.block ? "end" : CLOSER[frame.kind][1];
  layout.report(
    frame.block ? "unclosed-block" : "unclosed-bracket",
    `expected \`${closer}\` to close \`${opener.text}\` opened at line ${layout.lineOf(opener.start)}`,
    start2,
    end2,
    [{ start: opener.start, end: opener.end, text: `this \`${opener.text}\` is not closed` }]
  );
}
function closeBlock(layout, at) {
  const { top } = layout;
  if (top.block) {
    if (top.header) layout.then(at);
    if (!layout.atStart) layout.separate(at);
    layout.close();
    layout.push(new Token(top.kind === "doLoop" ? "DO_WHILE" : "END", "end", at, at));
    if (top.kind === "doLoop") layout.push(new Token("LIT", "nil", at, at));
    return;
  }
  if (top.kind === "brace" && !layout.atStart) layout.separate(at);
  const frame = layout.close();
  const [type, text3] = CLOSER[frame.kind];
  layout.push(new Token(type, text3, at, at, frame.opener.type));
}

// compiler/layout/brackets.ts
var TAKES_PARAMETERS = /* @__PURE__ */ new Set(["DEF", "RECORD", "ENUM"]);
var ASSIGNED = /[ \t]*=(?![=~>])/uy;
var ARROW = /[ \t]*->/uy;
var END_OF_HEADER = /[ \t\r]*(?:[\n;#]|(?![^]))/uy;
function open(layout, raw) {
  if (raw.text === "(") openParen(layout, raw);
  else if (raw.text === "[") openSquare(layout, raw);
  else openBrace(layout, raw);
}
function openParen(layout, raw) {
  const { prev, tokens } = layout;
  if (prev?.type === "LAMBDA" || TAKES_PARAMETERS.has(tokens[tokens.length - 2]?.type ?? "")) layout.open("params", layout.emit("LPARAM", raw));
  else if (prev !== null && (prev.type === "DOT" || ENDS_VALUE.has(prev.type))) layout.open("call", layout.emit("LCALL", raw));
  else layout.open("paren", layout.emit("LPAREN", raw));
}
function openSquare(layout, raw) {
  if (layout.endsValue()) layout.open("index", layout.emit("LINDEX", raw));
  else layout.open("vector", layout.emit("LBRACK", raw));
}
function openBrace(layout, raw) {
  const { prev, atStart } = layout;
  if (prev !== null && (prev.type === "LAMBDA" || prev.type === "IDENT" || prev.type === "RPAREN")) {
    layout.open("brace", layout.emit("LBLOCK", raw));
  } else {
    layout.open("hash", layout.emit("LBRACE", raw)).atStart = atStart;
  }
}
var CLOSED_BY = {
  ")": /* @__PURE__ */ new Set(["paren", "call", "params"]),
  "]": /* @__PURE__ */ new Set(["vector", "index"]),
  "}": /* @__PURE__ */ new Set(["hash", "brace", "interpolation"])
};
var CLOSING = { ")": "RPAREN", "]": "RBRACK", "}": "RBRACE" };
function close(layout, raw) {
  const kinds = CLOSED_BY[raw.text];
  if (!kinds.has(layout.top.kind)) {
    if (!layout.frames.some(({ kind }) => kinds.has(kind))) {
      layout.report("stray-closer", `unexpected \`${raw.text}\`: no bracket is open here`, raw.offset, raw.offset + 1);
      layout.state = "operator";
      return;
    }
    while (!kinds.has(layout.top.kind)) {
      reportUnclosed(layout, layout.top, raw.offset, raw.offset + 1);
      closeBlock(layout, raw.offset);
    }
  }
  closeFrame(layout, raw);
}
var TRAILING_COMMA = /* @__PURE__ */ new Set(["call", "params", "vector", "hash"]);
function dropTrailingComma({ top, tokens, prev }) {
  if (prev?.type === "COMMA" && TRAILING_COMMA.has(top.kind) && tokens[tokens.length - 2] !== top.opener) tokens.pop();
}
function closeFrame(layout, raw) {
  const { top } = layout;
  dropTrailingComma(layout);
  if (top.kind === "brace" && !layout.atStart) layout.separate(raw.offset);
  const frame = layout.close();
  if (frame.kind === "interpolation") {
    layout.emit("IEND", raw);
    layout.state = insideOf(layout.top);
    return;
  }
  layout.emit(CLOSING[raw.text], raw, frame.opener.type);
  if (frame.kind === "params") closeParameters(layout);
  else if (frame.atStart && isAssigned(layout)) frame.opener.type = "LDESTR";
}
function insideOf(frame) {
  const { text: text3 } = frame.opener;
  if (text3 === "/") return "regex";
  if (text3 === '"""') return "tripled";
  return text3 === "" ? "heredoc" : "quoted";
}
function isAssigned(layout) {
  ASSIGNED.lastIndex = layout.lexer.index;
  return ASSIGNED.test(layout.text);
}
function closeParameters(layout) {
  const { top } = layout;
  if (top.kind !== "def" || !top.header) return;
  if (!returnTypeFollows(layout)) layout.then(layout.lexer.index);
}
function returnTypeFollows({ lexer, text: text3 }) {
  ARROW.lastIndex = lexer.index;
  if (!ARROW.test(text3)) return false;
  const end2 = annotationEnd(text3, ARROW.lastIndex);
  END_OF_HEADER.lastIndex = end2;
  return end2 >= 0 && END_OF_HEADER.test(text3);
}

// compiler/layout/comments.ts
var DOC_LINE = /^[ \t]*##[ \t]?/;
function docComment(text3, offset) {
  const lines2 = [];
  let start2 = text3.lastIndexOf("\n", offset - 1) + 1;
  while (start2 > 0) {
    const previous = text3.lastIndexOf("\n", start2 - 2) + 1;
    const line3 = text3.slice(previous, start2 - 1);
    if (!DOC_LINE.test(line3)) break;
    lines2.push(line3.replace(DOC_LINE, "").trimEnd());
    start2 = previous;
  }
  return lines2.reverse().join("\n");
}
function skipBlanks(text3, at) {
  for (let i = at; ; i++) {
    const code = text3.charCodeAt(i);
    if (code === 32 || code === 9 || code === 13 || code === 12 || code === 11) continue;
    if (code === 35) {
      const end2 = text3.indexOf("\n", i);
      return end2 < 0 ? text3.length : end2;
    }
    if (code !== 92) return i;
    const after = text3.charCodeAt(i + 1) === 13 ? i + 2 : i + 1;
    if (text3.charCodeAt(after) !== 10) return i;
    i = after;
  }
}
function continuesBelow(text3, at) {
  for (let i = at; ; i++) {
    i = skipBlanks(text3, i);
    const code = text3.charCodeAt(i);
    if (code === 10) continue;
    const next = text3.charCodeAt(i + 1);
    if (code === 46) return next !== 46;
    if (code === 38) return next === 46;
    return code === 124 && next === 62;
  }
}

// compiler/layout/heredoc.ts
var OPENER = /^<<([~-]?)(["']?)(\w+)/;
function heredoc(layout, raw) {
  const opener = layout.emit("STR_BEG", raw);
  layout.heredocs.push({ opener, at: layout.tokens.length });
  layout.emit("STR_END", raw);
}
function readHeredocs(layout, readBody2) {
  let inserted = 0;
  const pending = layout.heredocs;
  layout.heredocs = [];
  for (const { opener, at } of pending) {
    const [, indent, quotes, name2] = OPENER.exec(opener.text);
    const start2 = layout.lexer.index;
    const closer = findCloser(layout.text, start2, name2, indent !== "");
    if (closer === null) return unterminated(layout, opener, name2);
    const body2 = layout.text.slice(start2, closer.start);
    const tokens = quotes === "'" || !body2.includes("#{") ? [new Token("TEXT", body2, start2, closer.start)] : readBody2(layout, start2, closer.start);
    layout.tokens.splice(at + inserted, 0, ...tokens);
    inserted += tokens.length;
    layout.lexer.index = closer.end;
  }
}
function findCloser(text3, from, name2, indented) {
  const line3 = new RegExp(`^${indented ? "[ \\t]*" : ""}${name2}[ \\t]*\\r?$`, "mg");
  line3.lastIndex = from;
  const match = line3.exec(text3);
  if (match === null) return null;
  const newline2 = text3.indexOf("\n", match.index + match[0].length);
  return { start: match.index, end: newline2 < 0 ? text3.length : newline2 + 1 };
}
function unterminated(layout, opener, name2) {
  const indented = findCloser(layout.text, layout.lexer.index, name2, true) !== null;
  layout.report(
    "unterminated-heredoc",
    `expected a line \`${name2}\` to close the heredoc opened here`,
    opener.start,
    opener.end,
    [],
    indented ? `the line \`${name2}\` is indented: write \`<<~${name2}\`` : `put \`${name2}\` alone on the line below the text`
  );
  layout.lexer.index = layout.text.length;
}

// compiler/layout/frame.ts
var BLOCKS = /* @__PURE__ */ new Set(["def", "if", "unless", "while", "for", "loop", "case", "begin", "do", "doLoop"]);
var HOLDS_STATEMENTS = /* @__PURE__ */ new Set([...BLOCKS, "top", "brace", "paren", "interpolation"]);
var Frame = class {
  kind;
  opener;
  /** Closed by `end`. */
  block;
  /** Newlines end statements here. */
  lines;
  statements;
  /** Depth of nesting, counting the operators around the bracket as well as brackets and blocks. */
  level;
  /** Number of declared names when the frame was opened. */
  names;
  /** Inside the header of a block: `THEN` is still to come. */
  header = false;
  /** The current statement may still begin a command call. */
  open;
  /** Only names, dots and closed brackets so far: `a.b` may still become a command call. */
  chain;
  /** Last word of the command call that the current statement is, if any. */
  command = null;
  /** `?` of ternaries that wait for their `:`. */
  ternaries = 0;
  /** Operators of the current statement that nest to the right: ternaries, assignments, `not`, postfix conditions. */
  rights = 0;
  /** Length of the current run of prefix operators and `**`. */
  run = 0;
  /** Between the bars of `|a, b|`. */
  pipes = false;
  /** A `{` at the start of a statement: may turn out to be a destructuring. */
  atStart = false;
  label = "";
  /** Index of the current statement's first token. */
  first = 0;
  /** Commas of the current statement outside of brackets. */
  commas = 0;
  constructor(kind, opener, level, names) {
    this.kind = kind;
    this.opener = opener;
    this.block = BLOCKS.has(kind);
    this.statements = HOLDS_STATEMENTS.has(kind);
    this.lines = this.block || kind === "top" || kind === "brace";
    this.level = level;
    this.names = names;
    this.open = this.statements;
    this.chain = this.statements;
  }
  /** Forgets the statement that has just ended; the next one's first token will have the index `first`. */
  startStatement(first2) {
    this.first = first2;
    this.commas = 0;
    this.open = this.statements;
    this.chain = this.statements;
    this.command = null;
    this.ternaries = 0;
    this.rights = 0;
    this.run = 0;
  }
};

// compiler/layout/names.ts
var Names2 = class {
  uses = /* @__PURE__ */ new Map([["it", 1]]);
  trail = [];
  get count() {
    return this.trail.length;
  }
  has(name2) {
    return this.uses.has(name2);
  }
  declare(name2) {
    const uses = this.uses.get(name2);
    if (uses !== void 0 && uses > 50) return;
    this.uses.set(name2, (uses ?? 0) + 1);
    this.trail.push(name2);
  }
  /** Forgets all but the first `count` declarations. */
  forget(count) {
    while (this.trail.length > count) {
      const name2 = this.trail.pop();
      const uses = (this.uses.get(name2) ?? 1) - 1;
      if (uses === 0) this.uses.delete(name2);
      else this.uses.set(name2, uses);
    }
  }
};

// compiler/layout/layout.ts
var MAX_NESTING = 400;
var MAX_STATEMENT = 4e5;
var STATE_AFTER = {
  IDENT: "operator",
  LIT: "operator",
  RPAREN: "operator",
  RBRACK: "operator",
  RBRACE: "operator",
  END: "operator",
  STR_END: "operator",
  DOT: "operator"
};
var IN_CHAIN = /* @__PURE__ */ new Set(["IDENT", "DOT", "LCALL", "LINDEX", "RPAREN", "RBRACK"]);
var Layout = class {
  text;
  lexer;
  repairs;
  names;
  tokens = [];
  /** Index behind the last token of each top-level statement. */
  ends = [];
  problems = [];
  frames;
  top;
  prev = null;
  /** The next token starts a statement. */
  atStart = true;
  state = "value";
  /** Heredocs opened on this line, and the indices of the tokens before which their bodies belong. */
  heredocs = [];
  /** Plain strings that span lines: suspects when a quote turns out to be missing. */
  spanning = [];
  /** Blocks that an `end` of another indentation has closed. */
  mismatched = false;
  stopped = false;
  statementStart = 0;
  lineTable = null;
  constructor(text3, lexer, repairs, names) {
    this.text = text3;
    this.lexer = lexer;
    this.repairs = repairs;
    this.names = names;
    this.top = new Frame("top", new Token("SEP", "", 0, 0), 0, 0);
    this.frames = [this.top];
  }
  /** Appends a token and settles in which state the next one is read. */
  emit(type, raw, extra = "") {
    return this.push(new Token(type, raw.text, raw.offset, raw.offset + raw.text.length, extra));
  }
  push(token) {
    this.tokens.push(token);
    this.prev = token;
    this.atStart = false;
    if (this.top.chain && !IN_CHAIN.has(token.type)) this.top.chain = false;
    this.state = STATE_AFTER[token.type] ?? "value";
    return token;
  }
  /** A value has just ended, so an operator may follow. */
  endsValue() {
    return this.prev !== null && ENDS_VALUE.has(this.prev.type);
  }
  /** Ends the current statement. */
  separate(at) {
    this.tokens.push(new Token("SEP", "\n", at, at));
    this.startStatement();
    if (this.frames.length === 1) {
      this.ends.push(this.tokens.length);
      this.statementStart = this.tokens.length;
    } else if (this.tokens.length - this.statementStart > MAX_STATEMENT) {
      this.stop("statement-too-long", `this statement has more than ${MAX_STATEMENT} words`, at, at + 1);
    }
  }
  /** Ends the current block's header; `returns` is the return type of a `def`. */
  then(at, text3 = "then", returns = "") {
    this.tokens.push(new Token("THEN", text3, at, at, returns));
    this.top.header = false;
    this.startStatement();
  }
  startStatement() {
    this.top.startStatement(this.tokens.length);
    this.atStart = true;
    this.prev = null;
    this.state = "value";
  }
  /** Opens a frame for a bracket or block whose token has just been emitted. */
  open(kind, opener) {
    const outer = this.top;
    const weight = kind === "string" ? 0 : 1;
    const frame = new Frame(kind, opener, outer.level + outer.rights + outer.run + weight, this.names.count);
    if (frame.level > MAX_NESTING) this.tooDeep(opener);
    this.frames.push(frame);
    this.top = frame;
    frame.first = this.tokens.length;
    if (frame.statements) this.atStart = true;
    return frame;
  }
  /** Closes the innermost frame. */
  close() {
    const frame = this.frames.pop();
    this.top = this.frames[this.frames.length - 1];
    if (frame.kind === "def" || frame.kind === "do" || frame.kind === "brace") this.names.forget(frame.names);
    return frame;
  }
  /** Counts an operator that nests to the right. */
  nest(token, kind) {
    const { top } = this;
    top[kind]++;
    if (top.level + top.rights + top.run > MAX_NESTING) this.tooDeep(token);
  }
  /** Puts a token without text before the one at `index`. */
  insert(type, index) {
    const { start: start2 } = this.tokens[index];
    this.tokens.splice(index, 0, new Token(type, "", start2, start2));
    for (const heredoc2 of this.heredocs) if (heredoc2.at > index) heredoc2.at++;
  }
  report(code, message, start2, end2, labels = [], hint2 = "") {
    this.problems.push(problem(code, message, start2, end2, labels, hint2));
  }
  lineOf(offset) {
    this.lineTable ??= lineStarts(this.text);
    return positionAt(this.lineTable, offset).line;
  }
  tooDeep(token) {
    this.stop("nesting-too-deep", `nesting is deeper than ${MAX_NESTING} levels`, token.start, token.end, "move the inner part into a variable or a function of its own");
  }
  /** Gives up: the current top-level statement becomes an error and nothing after it is read. */
  stop(code, message, start2, end2, hint2 = "") {
    if (this.stopped) return;
    this.stopped = true;
    this.report(code, message, start2, end2, [], hint2);
  }
  /** Replaces the unfinished top-level statement by one that has failed. */
  abandonStatement() {
    const first2 = this.tokens[this.statementStart];
    this.tokens.length = this.statementStart;
    this.frames.length = 1;
    this.top = this.frames[0];
    const start2 = first2?.start ?? this.text.length;
    this.push(new Token("ERROR", "", start2, this.text.length));
    this.separate(this.text.length);
  }
};

// compiler/layout/numbers.ts
var DIGITS = "[0-9]+(?:_[0-9]+)*";
var GOOD = new RegExp(
  `^(?:0|[1-9][0-9]*(?:_[0-9]+)*|${DIGITS}(?:\\.${DIGITS})(?:[eE][-+]?[0-9]+)?|${DIGITS}[eE][-+]?[0-9]+|0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO][0-7]+(?:_[0-7]+)*)$`
);
function checkNumber(layout, { text: text3, offset }) {
  if (!GOOD.test(text3)) layout.report("bad-number", `\`${text3}\` is not a number`, offset, offset + text3.length, [], hint(text3));
}
function hint(text3) {
  if (/^0[xX]/.test(text3)) return "`0x` is followed by digits 0-9 and a-f";
  if (/^0[bB]/.test(text3)) return "`0b` is followed by digits 0 and 1";
  if (/^0[oO]/.test(text3)) return "`0o` is followed by digits 0 to 7";
  if (/^0[0-9_]+$/.test(text3)) return "a number does not start with 0; octal numbers are written `0o17`";
  if (/_/.test(text3) && /^[0-9_]+$/.test(text3)) return "`_` stands between two digits";
  return "a name cannot start with a digit";
}

// compiler/layout/commands.ts
var NO_ARGUMENT = "(?!(?:and|or|if|unless|while|until|do|end|then|in|rescue|ensure|else|elsif|when|as)(?![\\p{L}\\p{N}_?!]|:(?!:)))";
var ARGUMENT = new RegExp(`[ \\t]+${NO_ARGUMENT}(?:["'\\p{L}\\p{N}_]|:["\\p{L}_]|->|!(?![=~])|%w[\\[({]|<<~["'A-Z_])`, "uy");
var ARGUMENT_OF_CALL = /[ \t]+(?:[[(]|-(?![\s=>])|\*{1,2}(?![\s=*])|\/(?![\s=])[^\n/]*\/|<<-?["'A-Z_])/uy;
var HASH = /[ \t]+\{(?=[ \t]*(?:[\p{L}_][\p{L}\p{N}_]*[?!]?:(?!:)|"[^"\n]*"[ \t]*(?::|=>)|\*\*))/uy;
var BRACE = /[ \t]+\{(?![ \t]*\|)/uy;
var IF_THEN = /[ \t]+if(?![\p{L}\p{N}_?!:])[^\n]*[ \t]then(?![\p{L}\p{N}_?!])/uy;
var NO_VALUE = new RegExp(
  "[ \\t\\r]*(?:[\\n;)\\]},#.]|&&|\\|\\||\\|>|[:?]\\s|(?:and|or|if|unless|while|until|do|end|then|rescue|ensure|else|elsif|when)(?![\\p{L}\\p{N}_?!])|(?![^]))",
  "uy"
);
var JUMP_LABEL = /[ \t]+:([\p{L}_][\p{L}\p{N}_]*)(?![\p{L}\p{N}_?!])/uy;
var LOOP_LABEL = /[ \t]+:([\p{L}_][\p{L}\p{N}_]*)(?=[ \t])/uy;
var OUTPUT = /* @__PURE__ */ new Set(["puts", "print", "p", "pp"]);
var TAKES_NO_BLOCK = /* @__PURE__ */ new Set([...OUTPUT, "raise", "return", "break", "next"]);
function matchesAt(pattern, text3, at) {
  pattern.lastIndex = at;
  return pattern.test(text3);
}
function mayStart(layout) {
  if (!layout.top.open) return false;
  return layout.atStart || layout.prev !== null && isConnective(layout.prev);
}
function isConnective({ type, text: text3 }) {
  return type === "BINOP" && (text3 === "and" || text3 === "or" || text3 === "&&" || text3 === "||");
}
function hasArgument(layout, name2, at) {
  const { text: text3 } = layout;
  const code = text3.charCodeAt(at);
  if (code !== 32 && code !== 9) return false;
  if (matchesAt(ARGUMENT, text3, at) || matchesAt(HASH, text3, at)) return true;
  if (layout.names.has(name2)) return false;
  return matchesAt(ARGUMENT_OF_CALL, text3, at) || OUTPUT.has(name2) && (matchesAt(BRACE, text3, at) || matchesAt(IF_THEN, text3, at));
}
function startsCommand(layout, raw) {
  return mayStart(layout) && hasArgument(layout, raw.text, raw.offset + raw.text.length);
}
function startsMethodCommand(layout, raw) {
  return layout.top.chain && layout.top.open && hasArgument(layout, "", raw.offset + raw.text.length);
}
function command2(layout, type, raw, extra = "") {
  const { top } = layout;
  const word2 = layout.emit(type, raw, extra);
  top.command = word2;
  top.open = false;
  layout.push(new Token("ARGS", "", word2.end, word2.end));
}
function jump2(layout, raw) {
  const label3 = raw.text === "break" || raw.text === "next" ? jumpLabel(layout) : "";
  if (raw.text === "raise" && layout.text.charCodeAt(layout.lexer.index) === 40) layout.emit("IDENT", raw);
  else if (matchesAt(NO_VALUE, layout.text, layout.lexer.index)) layout.emit("LIT", raw, label3);
  else if (mayStart(layout)) command2(layout, "LIT", raw, label3);
  else layout.nest(layout.emit("PREFIX", raw, label3), "rights");
}
function jumpLabel(layout) {
  return layout.frames.some(({ label: label3 }) => label3 !== "") ? readLabel(layout, JUMP_LABEL) : "";
}
function readLoopLabel(layout) {
  return readLabel(layout, LOOP_LABEL);
}
function readLabel(layout, pattern) {
  pattern.lastIndex = layout.lexer.index;
  const match = pattern.exec(layout.text);
  if (match === null) return "";
  layout.lexer.index += match[0].length;
  return match[1];
}
var MAY_END_COMMAND = /* @__PURE__ */ new Set(["LIT", "STR_END"]);
var BEFORE_PLAIN_NAME = /* @__PURE__ */ new Set(["ARGS", "COMMA", "LABEL"]);
function blockIsOfCommand(layout) {
  const { prev, tokens, top } = layout;
  if (top.command === null || prev === null || TAKES_NO_BLOCK.has(top.command.text)) return false;
  if (MAY_END_COMMAND.has(prev.type) || prev.extra === "LBRACK" || prev.extra === "LBRACE") return true;
  return prev.type === "IDENT" && BEFORE_PLAIN_NAME.has(tokens[tokens.length - 2]?.type ?? "");
}
function parenthesisHoldsArguments(layout) {
  const { top, frames } = layout;
  const outer = frames[frames.length - 2];
  if (top.kind !== "paren" || !outer?.command || outer.command.end >= top.opener.start) return;
  const opener = layout.tokens.lastIndexOf(top.opener);
  if (layout.tokens[opener - 2] !== outer.command || layout.tokens[opener - 1]?.type !== "ARGS") return;
  layout.tokens.splice(opener - 1, 1);
  outer.command = null;
  top.opener.type = "LCALL";
  top.kind = "call";
  top.open = false;
}

// compiler/layout/operators.ts
var OPENS_BLOCK = /* @__PURE__ */ new Set(["DO_BLOCK", "DO_CMD", "LBLOCK"]);
var NUMBER_WITH_METHOD = /[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?(?=&?\.[\p{L}_])/uy;
var NO_UPPER_END = /[ \t]*(?:[)\]},;\n\r#]|\|>|(?:then|do|if|unless|while|until|and|or)(?![\p{L}\p{N}_?!])|(?![^]))/uy;
var MEANINGLESS = {
  "&": "for a condition write `and` or `&&`",
  "^": "for a power write `**`"
};
function operator(layout, raw) {
  if ((raw.text === "|" || raw.text === "||") && pipe2(layout, raw)) return;
  if (layout.endsValue()) binary(layout, raw);
  else prefix2(layout, raw);
}
function pipe2(layout, raw) {
  const { top, prev } = layout;
  const opens = prev !== null && prev === top.opener && OPENS_BLOCK.has(prev.type);
  if (!opens && !top.pipes) return false;
  if (raw.text === "||" && !opens) return false;
  layout.emit("PIPE", { text: "|", offset: raw.offset });
  if (raw.text === "||") layout.emit("PIPE", { text: "|", offset: raw.offset + 1 });
  top.pipes = opens && raw.text === "|";
  if (!top.pipes) layout.startStatement();
  return true;
}
function binary(layout, raw) {
  const { top, tokens } = layout;
  const hint2 = MEANINGLESS[raw.text];
  if (hint2 !== void 0) layout.report("no-operator", `\`${raw.text}\` has no meaning in Svc`, raw.offset, raw.offset + 1, [], hint2);
  if (raw.text === "<" && tokens[tokens.length - 2]?.type === "ERRDECL") {
    layout.emit("LT", raw);
    return;
  }
  const token = layout.emit(raw.text === "!" ? "PREFIX" : "BINOP", raw);
  if (raw.text === "**") layout.nest(token, "run");
  else top.run = 0;
  if (raw.text === "and" || raw.text === "or" || raw.text === "&&" || raw.text === "||") top.chain = top.open;
}
function prefix2(layout, raw) {
  switch (raw.text) {
    case "*":
    case "**":
      parenthesisHoldsArguments(layout);
      layout.emit("SPLAT", raw);
      break;
    case "-":
      if (!negativeNumber(layout, raw)) layout.nest(layout.emit("PREFIX", raw), "run");
      break;
    case "+":
    case "!":
      layout.nest(layout.emit("PREFIX", raw), "run");
      break;
    case "&":
      layout.report(
        "block-pass",
        "`&` passes no block in Svc",
        raw.offset,
        raw.offset + 1,
        [],
        "write a block, such as `{ |x| x.upcase }`, or name the parameter without `&`: a block arrives as the last argument"
      );
      break;
    default:
      layout.emit("BINOP", raw);
  }
}
function negativeNumber(layout, raw) {
  NUMBER_WITH_METHOD.lastIndex = raw.offset + 1;
  const match = NUMBER_WITH_METHOD.exec(layout.text);
  if (match === null) return false;
  layout.lexer.index += match[0].length;
  layout.emit("LIT", { text: `-${match[0]}`, offset: raw.offset });
  return true;
}
function range2(layout, raw) {
  layout.emit("BINOP", raw);
  layout.top.run = 0;
  NO_UPPER_END.lastIndex = layout.lexer.index;
  if (NO_UPPER_END.test(layout.text)) layout.emit("LIT", { text: "", offset: layout.lexer.index });
}
function prefixWord(layout, raw) {
  layout.nest(layout.emit("PREFIX", raw), raw.text === "not" ? "rights" : "run");
}
function assignment(layout, raw) {
  const { top } = layout;
  declareTargets(layout);
  if (top.commas > 0 && top.statements && !top.pipes && !top.header && top.command === null) startMulti(layout);
  layout.nest(layout.emit(raw.text === "=" ? "ASGN" : "OPASGN", raw), "rights");
}
function startMulti(layout) {
  const { top, tokens } = layout;
  if (tokens[top.first]?.type !== "MULTI") layout.insert("MULTI", top.first);
}
var IN_TARGETS = /* @__PURE__ */ new Set(["IDENT", "COMMA", "SPLAT", "LPAREN", "RPAREN", "LDESTR", "RBRACE", "LABEL"]);
function declareTargets({ tokens, names }) {
  let last;
  for (let i = tokens.length - 1, left = 40; i >= 0 && left > 0; i--, left--) {
    const token = tokens[i];
    if (!IN_TARGETS.has(token.type)) break;
    if (token.type === "IDENT" && last?.type !== "IDENT") names.declare(token.text);
    else if (token.type === "LABEL") names.declare(token.text);
    last = token;
  }
}
function comma(layout, raw) {
  const { top } = layout;
  parenthesisHoldsArguments(layout);
  layout.emit("COMMA", raw);
  top.commas++;
  top.open = false;
  top.rights = 0;
  top.run = 0;
}
function question(layout, raw) {
  const { top } = layout;
  layout.nest(layout.emit("QMARK", raw), "rights");
  top.ternaries++;
  top.open = false;
}
function colon(layout, raw) {
  layout.emit("COLON", raw);
  if (layout.top.ternaries > 0) layout.top.ternaries--;
}

// compiler/layout/quotes.ts
var BRACKETED_WORDS = /w[[({]/uy;
var FLAGS = /[\p{L}\p{N}_]+/uy;
function string(layout, raw) {
  const cut2 = layout.repairs.cuts.get(raw.offset);
  if (cut2 !== void 0) return cutString(layout, raw.offset, cut2);
  if (!raw.text.startsWith("'''") && raw.text.includes("\n")) {
    layout.spanning.push({ start: raw.offset, end: raw.offset + raw.text.length });
  }
  layout.emit("LIT", raw);
}
function quote(layout, raw) {
  const cut2 = layout.repairs.cuts.get(raw.offset);
  if (cut2 !== void 0) cutString(layout, raw.offset, cut2);
  else if (raw.text === "'" || raw.text === "'''") unterminated2(layout, raw.offset, raw.text);
  else openString(layout, raw, raw.text === '"""' ? "tripled" : "quoted");
}
function openString(layout, raw, inside2) {
  layout.open("string", layout.emit("STR_BEG", raw));
  layout.state = inside2;
}
function text(layout, raw) {
  const { state } = layout;
  layout.emit("TEXT", raw);
  layout.state = state;
}
function interpolation2(layout, raw) {
  layout.open("interpolation", layout.emit("IBEG", raw));
}
function stringEnd(layout, raw) {
  const { opener } = layout.close();
  if (raw.text === "\n") return unterminatedRegex(layout, raw.offset, opener.start);
  if (opener.text === '"' && layout.text.slice(opener.start, raw.offset).includes("\n")) {
    layout.spanning.push({ start: opener.start, end: raw.offset + 1 });
  }
  layout.emit("STR_END", raw);
  if (opener.text === "/") checkFlags(layout);
}
function regex(layout, raw) {
  layout.emit("LIT", raw);
  checkFlags(layout);
}
function checkFlags(layout) {
  FLAGS.lastIndex = layout.lexer.index;
  const match = FLAGS.exec(layout.text);
  if (match === null) return;
  const at = layout.lexer.index;
  layout.lexer.index += match[0].length;
  layout.report("bad-regex-flag", `\`${match[0]}\` after a regex is no flag`, at, layout.lexer.index, [], "the flags are `i`, `m`, `s` and `x`");
}
function slash(layout, raw) {
  openString(layout, raw, "regex");
}
function unterminatedRegex(layout, newline2, start2) {
  layout.report(
    "unterminated-regex",
    "expected `/` to close the regex opened here",
    start2,
    start2 + 1,
    [],
    "a regex stays on one line; for a division put a value before `/`"
  );
  layout.lexer.index = newline2;
  layout.emit("STR_END", { text: "/", offset: newline2 });
}
function unterminatedWords(layout, raw) {
  BRACKETED_WORDS.lastIndex = raw.offset + 1;
  if (raw.text !== "%" || layout.endsValue() || !BRACKETED_WORDS.test(layout.text)) return false;
  layout.report("unterminated-words", `expected a bracket to close \`${layout.text.substr(raw.offset, 3)}\``, raw.offset, raw.offset + 3);
  skipLine(layout, raw.offset);
  return true;
}
function cutString(layout, start2, { code, message, start: from, end: end2, hint: hint2 }) {
  layout.report(code, message, from, end2, [], hint2);
  skipLine(layout, start2);
}
function skipLine(layout, start2) {
  const newline2 = layout.text.indexOf("\n", start2);
  const end2 = newline2 < 0 ? layout.text.length : newline2;
  layout.emit("LIT", { text: `"${layout.text.slice(start2 + 1, end2)}"`, offset: start2 });
  layout.lexer.index = end2;
}
var MISSING_QUOTE = "put the closing quote where the text ends";
function unterminated2(layout, start2, quotes) {
  const culprit = quotes.length === 3 ? void 0 : layout.spanning.find((span) => span.start < start2 && isFollowedByText(layout, span.end));
  const at = culprit?.start ?? start2;
  const width = quotes.length;
  layout.repairs.cuts.set(at, { code: "unterminated-string", message: "this string has no closing quote", start: at, end: at + width, hint: width === 3 ? `close it with \`${quotes}\`` : MISSING_QUOTE });
  layout.lexer.index = layout.text.length;
}
function isFollowedByText({ text: source }, end2) {
  return /[\p{L}\p{N}_"']/u.test(source[end2] ?? "");
}
function endInsideString(layout) {
  const { frames } = layout;
  const outer = frames.findIndex(({ kind }) => kind === "string");
  if (outer < 0) return false;
  const string2 = frames[outer];
  const inside2 = frames[outer + 1];
  if (inside2 === void 0 || string2.opener.text === "/") unterminated2(layout, string2.opener.start, string2.opener.text);
  else {
    const { start: start2, end: end2 } = inside2.opener;
    layout.repairs.cuts.set(string2.opener.start, { code: "unterminated-interpolation", message: "expected `}` to close the interpolation opened here", start: start2, end: end2, hint: "close it before the string goes on or ends" });
  }
  return true;
}

// compiler/layout/repairs.ts
var Repairs = class {
  /** By the offset of the string's opening quote. */
  cuts = /* @__PURE__ */ new Map();
  /** Blocks are unbalanced: believe the indentation. */
  byIndentation = false;
  /** There was an `end` too many. */
  strayEnd = false;
};

// compiler/layout/unknown.ts
var HINTS = {
  "@": "Svc has no instance variables: use a plain name",
  $: "Svc has no `$` names: use a plain name",
  "`": 'to run a command use `shell("\u2026")`',
  "~": "Svc has no bit operators",
  "\xA0": "it looks like a blank: replace it by one",
  "\u201C": 'write straight quotes `"`',
  "\u201D": 'write straight quotes `"`',
  "\u2018": "write straight quotes `'`",
  "\u2019": "write straight quotes `'`",
  "\\": "a `\\` joins two lines only at the end of the first"
};
function unknownCharacter(layout, { offset }) {
  if (layout.state !== "value" && layout.state !== "operator") return;
  const character2 = String.fromCodePoint(layout.text.codePointAt(offset));
  const visible = /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character2);
  const code = `U+${character2.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  layout.lexer.index = offset + character2.length;
  layout.report("unknown-character", `unexpected character ${visible ? `\`${character2}\`` : code}`, offset, layout.lexer.index, [], HINTS[character2] ?? "");
}

// compiler/layout/indentation.ts
var BLANKS = /[ \t]*/y;
function indentation(text3, offset) {
  const start2 = text3.lastIndexOf("\n", offset - 1) + 1;
  BLANKS.lastIndex = start2;
  BLANKS.test(text3);
  return BLANKS.lastIndex - start2;
}
function isFirstOnLine(text3, offset) {
  const start2 = text3.lastIndexOf("\n", offset - 1) + 1;
  BLANKS.lastIndex = start2;
  BLANKS.test(text3);
  return BLANKS.lastIndex === offset;
}
function closesOuterBlock({ text: text3 }, opener, raw) {
  return isFirstOnLine(text3, raw.offset) && indentation(text3, raw.offset) < indentation(text3, opener.start);
}
function closeByIndentation(layout, raw) {
  const { text: text3, frames } = layout;
  if (!isFirstOnLine(text3, raw.offset)) return;
  const column = indentation(text3, raw.offset);
  const keep2 = raw.text === "def" ? (frame) => indentation(text3, frame.opener.start) < column : (frame) => frame.block && indentation(text3, frame.opener.start) <= column;
  const last = frames.findLastIndex((frame, index) => index === 0 || keep2(frame));
  if (raw.text === "end" && last === 0) return;
  while (frames.length - 1 > last) {
    reportUnclosed(layout, layout.top, raw.offset, raw.offset + raw.text.length);
    closeBlock(layout, raw.offset);
  }
  if (raw.text === "def" && !layout.atStart) layout.separate(raw.offset);
}
function isStrayEnd(layout, raw) {
  const { text: text3, top } = layout;
  if (!layout.repairs.strayEnd || !isFirstOnLine(text3, raw.offset)) return false;
  return !top.block || indentation(text3, raw.offset) > indentation(text3, top.opener.start);
}

// compiler/layout/blocks.ts
function openHeader(layout, raw, type, kind, extra = "") {
  const frame = layout.open(kind, layout.emit(type, raw, extra));
  frame.header = true;
  frame.open = false;
  layout.atStart = false;
  return frame;
}
function conditional2(layout, raw) {
  if (layout.endsValue()) modifier2(layout, raw);
  else if (raw.text === "if" && elseIf(layout, raw)) middle(layout, raw, "ELSIF", true);
  else openHeader(layout, raw, raw.text === "if" ? "IF" : "UNLESS", raw.text === "if" ? "if" : "unless");
}
function modifier2(layout, raw) {
  const { top } = layout;
  layout.nest(layout.emit("MOD", raw), "rights");
  top.open = false;
}
function elseIf(layout, raw) {
  const { tokens, top, repairs } = layout;
  const before = tokens[tokens.length - 1];
  if (!repairs.byIndentation || before?.type !== "ELSE" || top.kind !== "if") return false;
  if (layout.text.slice(before.end, raw.offset).includes("\n")) return false;
  tokens.pop();
  layout.report("else-if", "`else if` opens a second `if` that needs an `end` of its own", before.start, raw.offset + 2, [], "write `elsif`");
  return true;
}
function loop2(layout, raw) {
  const { top } = layout;
  if (top.kind === "doLoop" && endsDoLoop(layout, raw)) {
    if (!layout.atStart) layout.separate(raw.offset);
    layout.close();
    layout.emit("DO_WHILE", raw);
  } else if (layout.endsValue()) modifier2(layout, raw);
  else openLoop(layout, raw, "WHILE", "while");
}
function endsDoLoop(layout, raw) {
  const { opener } = layout.top;
  if (isFirstOnLine(layout.text, raw.offset)) return indentation(layout.text, raw.offset) <= indentation(layout.text, opener.start);
  return layout.atStart || !layout.text.slice(opener.start, raw.offset).includes("\n");
}
function openLoop(layout, raw, type, kind) {
  const label3 = readLoopLabel(layout);
  openHeader(layout, raw, type, kind, label3).label = label3;
}
function forLoop2(layout, raw) {
  openLoop(layout, raw, "FOR", "for");
}
function labelledLoop(layout, raw) {
  openLoop(layout, raw, "LOOP", "loop");
}
function caseOf2(layout, raw) {
  openHeader(layout, raw, "CASE", "case");
}
function def2(layout, raw) {
  if (layout.repairs.byIndentation) closeByIndentation(layout, raw);
  openHeader(layout, raw, "DEF", "def", docComment(layout.text, raw.offset));
}
function begin2(layout, raw) {
  openBody(layout, raw, "BEGIN", "begin");
}
function openBody(layout, raw, type, kind) {
  layout.open(kind, layout.emit(type, raw));
  layout.startStatement();
  layout.prev = layout.top.opener;
}
function doBlock(layout, raw) {
  const { top } = layout;
  if (top.header && (top.kind === "while" || top.kind === "for" || top.kind === "loop")) layout.then(raw.offset, "do");
  else if (layout.atStart) openBody(layout, raw, "DO_LOOP", "doLoop");
  else openBody(layout, raw, blockIsOfCommand(layout) ? "DO_CMD" : "DO_BLOCK", "do");
}
function thenWord(layout, raw) {
  if (layout.top.header) layout.then(raw.offset);
  else layout.emit("THEN", raw);
}
var BELONGS_TO = {
  ELSIF: ["if"],
  ELSE: ["if", "unless", "case", "begin", "def", "do"],
  WHEN: ["case"],
  RESCUE: ["begin", "def", "do"],
  ENSURE: ["begin", "def", "do"]
};
var OWNER = { ELSIF: "`if`", ELSE: "`if`, `case` or `begin`", WHEN: "`case`", RESCUE: "`begin`, `def` or `do`", ENSURE: "`begin`, `def` or `do`" };
function middle(layout, raw, type, repaired = false) {
  if (!repaired && !findOwner(layout, raw, type)) {
    layout.report("stray-keyword", `unexpected \`${raw.text}\`: it belongs into a block opened by ${OWNER[type]}`, raw.offset, raw.offset + raw.text.length);
    layout.startStatement();
    return;
  }
  const { top } = layout;
  if (top.header) layout.then(raw.offset);
  if (!layout.atStart) layout.separate(raw.offset);
  layout.emit(type, raw);
  top.startStatement(layout.tokens.length);
  top.header = type === "ELSIF" || type === "WHEN" || type === "RESCUE";
  top.open = !top.header;
  layout.atStart = !top.header;
}
function findOwner(layout, raw, type) {
  const owners = BELONGS_TO[type];
  const { byIndentation } = layout.repairs;
  const owner = layout.frames.findLast(({ kind, opener, block: block2 }) => owners.includes(kind) && (!byIndentation || !block2 || !closesOuterBlock(layout, opener, raw)));
  if (owner === void 0) return false;
  while (layout.top !== owner) {
    reportUnclosed(layout, layout.top, raw.offset, raw.offset + raw.text.length);
    closeBlock(layout, raw.offset);
  }
  return true;
}
function end(layout, raw) {
  const at = raw.offset;
  if (layout.repairs.byIndentation && isStrayEnd(layout, raw)) return strayEnd(layout, raw);
  if (!layout.frames.some(({ block: block2 }) => block2)) return strayEnd(layout, raw);
  if (layout.repairs.byIndentation) closeByIndentation(layout, raw);
  while (!layout.top.block) {
    reportUnclosed(layout, layout.top, at, at + 3);
    closeBlock(layout, at);
  }
  const { top } = layout;
  if (top.header) layout.then(at);
  if (!layout.atStart) layout.separate(at);
  if (top.kind === "doLoop") return endOfDoLoop(layout, raw);
  layout.close();
  layout.emit("END", raw);
}
var WHILE_FOLLOWS = /[ \t]+(?:while|until)(?![\p{L}\p{N}_?!])/uy;
function endOfDoLoop(layout, raw) {
  WHILE_FOLLOWS.lastIndex = layout.lexer.index;
  if (WHILE_FOLLOWS.test(layout.text)) return;
  const { opener } = layout.top;
  layout.report(
    "block-without-call",
    "this `do` starts a statement: expected `while` or `until` instead of `end`",
    raw.offset,
    raw.offset + 3,
    [{ start: opener.start, end: opener.end, text: "opened here" }],
    "put a call before `do` for a block, or end the loop with `while` and a condition"
  );
  closeBlock(layout, raw.offset);
}
function strayEnd(layout, raw) {
  layout.mismatched = true;
  layout.report("stray-end", "unexpected `end`: no block is open here", raw.offset, raw.offset + 3, [], "remove it, or look for a block above that was closed too early");
  if (!layout.endsValue()) layout.startStatement();
}

// compiler/layout/words.ts
var literal2 = (layout, raw) => void layout.emit("LIT", raw);
var between = (type) => (layout, raw) => middle(layout, raw, type);
var contextual = (follows, handler, onlyAtStart = true) => (layout, raw) => {
  follows.lastIndex = raw.offset + raw.text.length;
  if ((!onlyAtStart || layout.atStart) && follows.test(layout.text)) handler(layout, raw);
  else name(layout, raw);
};
var emitAs = (type) => (layout, raw) => void layout.emit(type, raw);
var STRING_FOLLOWS = /[ \t]+["']/uy;
var DECLARATION = /[ \t]+[\p{L}_][\p{L}\p{N}_]*[ \t]*\(/uy;
var TYPE_NAME = /[ \t]+[A-Z][\p{L}\p{N}_]*[ \t]*(?:[<;#\r\n]|(?![^]))/uy;
var OPERAND_FOLLOWS = /[ \t]+(?!(?:and|or|if|unless|while|until|do|end|then|in)(?![\p{L}\p{N}_?!]))[\p{L}\p{N}_"'([{:]|[ \t]+->/uy;
var CONSTANT_FOLLOWS = /[ \t]+[\p{L}_]/uy;
var LABEL_AND_DO = /[ \t]+:[\p{L}_][\p{L}\p{N}_]*[ \t]+do(?![\p{L}\p{N}_?!])/uy;
var KEYWORDS = /* @__PURE__ */ new Map([
  ["true", literal2],
  ["false", literal2],
  ["nil", literal2],
  ["retry", literal2],
  ["and", binary],
  ["or", binary],
  ["not", prefixWord],
  ["in", emitAs("IN")],
  ["return", jump2],
  ["break", jump2],
  ["next", jump2],
  ["raise", jump2],
  ["if", conditional2],
  ["unless", conditional2],
  ["while", loop2],
  ["until", loop2],
  ["for", forLoop2],
  ["case", caseOf2],
  ["begin", begin2],
  ["def", def2],
  ["do", doBlock],
  ["then", thenWord],
  ["end", end],
  ["elsif", between("ELSIF")],
  ["else", between("ELSE")],
  ["when", between("WHEN")],
  ["rescue", rescue2],
  ["ensure", between("ENSURE")],
  ["const", contextual(CONSTANT_FOLLOWS, emitAs("CONST"))],
  ["enum", contextual(DECLARATION, emitAs("ENUM"))],
  ["record", contextual(DECLARATION, (layout, raw) => void layout.emit("RECORD", raw, docComment(layout.text, raw.offset)))],
  ["error", contextual(TYPE_NAME, emitAs("ERRDECL"))],
  ["require", contextual(STRING_FOLLOWS, emitAs("USE"))],
  ["import", contextual(STRING_FOLLOWS, emitAs("USE"))],
  ["stitch", contextual(STRING_FOLLOWS, emitAs("USE"))],
  ["use", contextual(STRING_FOLLOWS, emitAs("USE"))],
  ["await", contextual(OPERAND_FOLLOWS, prefixWord, false)],
  ["loop", contextual(LABEL_AND_DO, labelledLoop)]
]);
var CONTEXTUAL = /* @__PURE__ */ new Set(["enum", "record", "error", "require", "import", "stitch", "use", "await", "loop"]);
function word(layout, raw) {
  const { prev } = layout;
  if (prev?.type === "DOT") return memberName(layout, raw);
  if (layout.state === "value" && isLabel(layout, raw)) return label(layout, raw);
  if (prev?.type === "DEF") return functionName(layout, raw);
  const handler = KEYWORDS.get(raw.text);
  if (handler === void 0) name(layout, raw);
  else handler(layout, raw);
}
function memberName(layout, raw) {
  if (startsMethodCommand(layout, raw)) command2(layout, "IDENT", raw);
  else layout.emit("IDENT", raw);
}
function isLabel({ text: text3, top, prev }, raw) {
  const at = raw.offset + raw.text.length;
  return text3.charCodeAt(at) === 58 && text3.charCodeAt(at + 1) !== 58 && top.ternaries === 0 && prev?.type !== "DEF";
}
var REST_OF_LINE_BLANK = /[ \t\r]*(?:#|\n|(?![^]))/uy;
function label(layout, raw) {
  const { lexer, text: text3, top } = layout;
  const colon2 = raw.offset + raw.text.length;
  lexer.index = colon2 + 1;
  REST_OF_LINE_BLANK.lastIndex = colon2 + 1;
  if ((layout.atStart || top.header) && top.lines && REST_OF_LINE_BLANK.test(text3)) return pythonColon(layout, raw, colon2);
  parenthesisHoldsArguments(layout);
  const typeEnd = top.kind === "params" ? parameterAnnotationEnd(text3, colon2 + 1) : -1;
  if (top.kind === "params") layout.names.declare(raw.text);
  if (typeEnd < 0) return void layout.emit("LABEL", raw);
  layout.emit("TLABEL", raw, text3.slice(colon2 + 1, typeEnd).trim());
  lexer.index = typeEnd;
}
function pythonColon(layout, raw, colon2) {
  layout.report("python-colon", "unexpected `:` at the end of the line", colon2, colon2 + 1, [], "a new line or `then` is enough");
  const handler = KEYWORDS.get(raw.text);
  if (handler === void 0) name(layout, raw);
  else handler(layout, raw);
}
function functionName(layout, raw) {
  if (KEYWORDS.has(raw.text) && !CONTEXTUAL.has(raw.text)) reserved(layout, raw, "and cannot name a function");
  layout.emit("IDENT", raw);
}
function reserved(layout, raw, why) {
  layout.report("reserved-word", `\`${raw.text}\` is a reserved word ${why}`, raw.offset, raw.offset + raw.text.length, [], `choose another name, such as \`${raw.text}_\``);
}
var ELSIF_ELSEWHERE = /* @__PURE__ */ new Set(["elif", "elseif", "elsif"]);
function name(layout, raw) {
  const { top } = layout;
  if (startsCommand(layout, raw)) {
    if (layout.atStart && top.kind === "if" && ELSIF_ELSEWHERE.has(raw.text)) return elsifElsewhere(layout, raw);
    return command2(layout, "IDENT", raw);
  }
  if (raw.text === "as" && layout.tokens[layout.tokens.length - 2]?.type === "USE") return void layout.emit("AS", raw);
  layout.emit("IDENT", raw);
  if (top.pipes || top.kind === "params" || top.header && (top.kind === "for" || top.opener.type === "BEGIN") || isRescued(layout)) {
    layout.names.declare(raw.text);
  }
}
function isRescued({ top, tokens }) {
  if (!top.header || top.kind === "if" || top.kind === "while") return false;
  const before = tokens[tokens.length - 2]?.type;
  return before === "RESCUE" || before === "IDENT" || before === "FATARROW";
}
function elsifElsewhere(layout, raw) {
  layout.report("else-if", `\`${raw.text}\` is no word of Svc`, raw.offset, raw.offset + raw.text.length, [], "write `elsif`");
  middle(layout, raw, "ELSIF");
}
function rescue2(layout, raw) {
  if (!layout.endsValue() || layout.top.header || isFirstOnLine(layout.text, raw.offset)) return middle(layout, raw, "RESCUE");
  layout.report(
    "postfix-rescue",
    "`rescue` cannot follow a statement on the same line",
    raw.offset,
    raw.offset + 6,
    [],
    "write `begin`, the statement, `rescue`, what to do instead, `end`, on lines of their own"
  );
  layout.emit("BINOP", { text: "or", offset: raw.offset });
}

// compiler/layout/tokenize.ts
var HANDLERS = {
  newline,
  semicolon,
  open,
  close,
  comma,
  word,
  number: (layout, raw) => (checkNumber(layout, raw), void layout.emit("LIT", raw)),
  string,
  triple: quote,
  quote,
  heredoc,
  symbol: (layout, raw) => void layout.emit("LIT", raw),
  words: (layout, raw) => void layout.emit("LIT", raw),
  regex,
  slash,
  arrow,
  fatArrow: (layout, raw) => void layout.emit("FATARROW", raw),
  range: range2,
  operator: (layout, raw) => void (unterminatedWords(layout, raw) || operator(layout, raw)),
  assign: assignment,
  opAssign: assignment,
  dot: (layout, raw) => void layout.emit("DOT", raw),
  question,
  colon,
  text,
  interpolation: interpolation2,
  stringEnd,
  error: unknownCharacter
};
function tokenize(source) {
  const repairs = new Repairs();
  const rounds = source.length > 2e5 ? 2 : 12;
  for (let round = 1; ; round++) {
    const layout = new Layout(source, createLexer(source), repairs, new Names2());
    const cuts = repairs.cuts.size;
    readAll(layout);
    const better = finish(layout) || repairs.cuts.size > cuts;
    if (!better || round >= rounds) return { tokens: layout.tokens, ends: layout.ends, problems: layout.problems, spanning: layout.spanning };
  }
}
function readAll(layout) {
  while (!layout.stopped && readToken(layout)) ;
}
function readToken(layout) {
  const { lexer, state } = layout;
  if (state === "value" || state === "operator") lexer.index = skipBlanks(layout.text, lexer.index);
  lexer.setState(state);
  const raw = lexer.next();
  if (raw === void 0) return false;
  HANDLERS[raw.type](layout, raw);
  return true;
}
function finish(layout) {
  const { repairs } = layout;
  if (layout.stopped) {
    layout.abandonStatement();
    return false;
  }
  if (endInsideString(layout)) return true;
  const at = layout.text.trimEnd().length;
  const unbalanced = layout.mismatched || layout.frames.length > 1;
  while (layout.frames.length > 1) {
    reportUnclosed(layout, layout.top, at, at);
    closeBlock(layout, at);
  }
  if (layout.heredocs.length > 0) readHeredocs(layout, readBody);
  if (!layout.atStart) layout.separate(at);
  if (!unbalanced || repairs.byIndentation) return false;
  repairs.byIndentation = true;
  repairs.strayEnd = layout.mismatched;
  return true;
}
function newline(layout, raw) {
  if (layout.heredocs.length > 0) readHeredocs(layout, readBody);
  const { top, prev } = layout;
  if (!top.lines || layout.atStart && !top.header) return;
  if (prev !== null && CONTINUES.has(prev.type)) return;
  if (top.pipes || continuesBelow(layout.text, layout.lexer.index)) return;
  endLine(layout, raw);
}
function semicolon(layout, raw) {
  const { top } = layout;
  if (!top.lines) layout.push(new Token("SEP", ";", raw.offset, raw.offset + 1));
  else if (!layout.atStart || top.header) endLine(layout, raw);
}
function endLine(layout, raw) {
  if (layout.top.header) layout.then(raw.offset, "\n");
  else layout.separate(raw.offset);
}
function arrow(layout, raw) {
  const { top, lexer } = layout;
  const end2 = top.kind === "def" && top.header ? annotationEnd(layout.text, lexer.index) : -1;
  if (end2 < 0) return void layout.emit("LAMBDA", raw);
  const type = layout.text.slice(lexer.index, end2).trim();
  lexer.index = end2;
  layout.then(end2, "then", type);
}
function readBody(outer, start2, end2) {
  const text3 = outer.text.slice(0, end2);
  const inner = new Layout(text3, createLexer(text3), outer.repairs, outer.names);
  inner.open("string", new Token("STR_BEG", "", start2, start2));
  inner.lexer.index = start2;
  inner.state = "heredoc";
  readAll(inner);
  while (inner.frames.length > 2) {
    reportUnclosed(inner, inner.top, end2, end2);
    closeBlock(inner, end2);
  }
  outer.problems.push(...inner.problems);
  if (inner.stopped) outer.stopped = true;
  return inner.tokens;
}

// compiler/parse.ts
function parse(file2, text3) {
  const source = prepareSource(text3);
  const { tokens, ends, problems: found } = tokenize(source.text);
  const problems = [...source.problems, ...found];
  const stmts = [];
  const diagnostics = problems.map((p) => ({ ...p, severity: "error", file: file2 }));
  let from = 0;
  for (const to of ends) {
    const outcome = parseStatement(tokens, from, to);
    if (outcome.failure === null) stmts.push(outcome.tree);
    else {
      const token = tokens[outcome.failure.at] ?? tokens[to - 1];
      diagnostics.push({ code: "syntax-error", severity: "error", file: file2, message: `unexpected \`${token.text}\``, start: token.start, end: token.end, labels: [], hint: "" });
    }
    from = to;
  }
  return { module: { start: 0, end: text3.length, stmts }, diagnostics };
}

// compiler/symbols.ts
var Variable = class {
  constructor(name2, scope, isConstant, copyOf = null) {
    this.name = name2;
    this.scope = scope;
    this.isConstant = isConstant;
    this.copyOf = copyOf;
  }
  name;
  scope;
  isConstant;
  copyOf;
  /** Assignments seen so far; a parameter or loop variable counts as one. */
  assignments = 0;
  /** Read or assigned by a function inside its own. */
  captured = false;
  /** Captured before its first assignment had been seen, or assigned by a function inside, or in a loop: copies would go stale. */
  shared = false;
  /** Reached from a `def` or another file: lives in a module slot. */
  global = false;
  /** Its first assignment may be skipped, so that it has to start as nil. */
  conditional = false;
  /** Variable of a `for`, new in each iteration. */
  perIteration = false;
  /** Number of its module slot, once it has one. */
  slot = -1;
  get storage() {
    if (!this.captured) return "register";
    if (this.scope.isModuleRoot && (this.global || !this.perIteration)) return "slot";
    return this.shared || this.assignments > 1 ? "cell" : "register";
  }
};
var Scope = class {
  constructor(parent, fn, loopDepth, branchDepth) {
    this.parent = parent;
    this.fn = fn;
    this.loopDepth = loopDepth;
    this.branchDepth = branchDepth;
  }
  parent;
  fn;
  loopDepth;
  branchDepth;
  names = /* @__PURE__ */ new Map();
  variables = [];
  get isModuleRoot() {
    return this.fn.kind === "main" && this.fn.root === this;
  }
  declare(name2, isConstant = false, copyOf = null) {
    const variable = new Variable(name2, this, isConstant, copyOf);
    this.names.set(name2, variable);
    this.variables.push(variable);
    return variable;
  }
};
var FunctionScope = class {
  constructor(kind, parent, outer, module) {
    this.kind = kind;
    this.parent = parent;
    this.module = module;
    this.root = new Scope(outer, this, 0, 0);
  }
  kind;
  parent;
  module;
  root;
  /** Variables of enclosing functions that it needs, in the order of its captures. */
  captures = [];
  /** For `def`: where each top-level variable was read first, to explain a later local of that name. */
  globalReads = /* @__PURE__ */ new Map();
  /** The function around it that opened a scope of its own: a `def` or the file. */
  get owner() {
    let fn = this;
    while (fn.kind !== "main" && fn.kind !== "def") fn = fn.parent;
    return fn;
  }
};
var ModuleScope = class {
  constructor(path, text3, tree, index, isPrelude) {
    this.path = path;
    this.text = text3;
    this.tree = tree;
    this.index = index;
    this.isPrelude = isPrelude;
    this.main = new FunctionScope("main", null, null, this);
  }
  path;
  text;
  tree;
  index;
  isPrelude;
  symbols = /* @__PURE__ */ new Map();
  main;
  /** Files whose names are merged into this one. */
  merged = [];
};
var Resolution = class {
  symbols = /* @__PURE__ */ new Map();
  functions = /* @__PURE__ */ new Map();
  /** Scopes of blocks that are inlined. */
  scopes = /* @__PURE__ */ new Map();
  /** Prelude functions to inline for a method call with a literal block. */
  templates = /* @__PURE__ */ new Map();
  /** Blocks that use `it`. */
  implicit = /* @__PURE__ */ new Map();
  /** Modules that a `require` or `import` loads. */
  modules = /* @__PURE__ */ new Map();
  /** Later assignments to a constant: they keep the first value. */
  reassigned = /* @__PURE__ */ new Set();
};

// compiler/modules.ts
var ModuleLoader = class {
  constructor(env, resolution, diagnostics) {
    this.env = env;
    this.resolution = resolution;
    this.diagnostics = diagnostics;
  }
  env;
  resolution;
  diagnostics;
  /** In the order in which they must be resolved: a file after those it uses. */
  modules = [];
  byPath = /* @__PURE__ */ new Map();
  open = [];
  load(path, text3) {
    const { module: tree, diagnostics } = parse(path, text3);
    this.diagnostics.push(...diagnostics);
    const module = new ModuleScope(path, text3, tree, this.byPath.size, false);
    this.byPath.set(path, module);
    this.open.push(path);
    for (const node of declarations(tree)) this.declare(module, node);
    this.open.pop();
    this.modules.push(module);
    return module;
  }
  declare(module, node) {
    if (node.type === "UseModule") this.use(module, node);
    else declare(module, node, (message) => this.report(module, node.name, "declared-twice", message));
  }
  use(module, node) {
    if (this.env.builtinModules.has(node.path)) return;
    const found = this.env.load(node.form, node.path, module.path);
    if (found === null || "problem" in found) {
      this.report(module, node, "module-not-found", found === null ? `cannot find '${node.path}'` : found.problem);
      return;
    }
    if (this.open.includes(found.path)) {
      const chain = [...this.open.slice(this.open.indexOf(found.path)), found.path];
      this.report(module, node, "module-cycle", `files load each other in a circle: ${chain.join(" \u2192 ")}`);
      return;
    }
    const target = this.byPath.get(found.path) ?? this.load(found.path, found.text);
    this.resolution.modules.set(node, target);
    if (node.form === "import") this.bindNamespace(module, node, target);
    else if (!module.merged.includes(target)) module.merged.push(target);
  }
  bindNamespace(module, node, target) {
    const name2 = node.alias?.name ?? node.path.split("/").pop().replace(/\.svc$/, "");
    module.symbols.set(name2, { kind: "namespace", module: target });
  }
  report(module, node, code, message) {
    this.diagnostics.push({ code, severity: "error", message, file: module.path, start: node.start, end: node.end, labels: [], hint: "" });
  }
};
function declare(module, node, problem2) {
  const name2 = node.name.name;
  const before = moduleSymbol(name2, module, /* @__PURE__ */ new Set());
  if (before !== null && (before.kind === "type" || node.type !== "Def") && module.symbols.has(name2)) problem2(`'${name2}' is declared twice`);
  if (node.type === "Def" || node.type === "RecordDecl") {
    const symbol = { kind: "def", name: name2, params: node.type === "Def" ? node.params : node.fields, module, node };
    module.symbols.set(name2, symbol);
  } else {
    const symbol = { kind: "type", name: name2, module, node };
    module.symbols.set(name2, symbol);
  }
}
var DECLARATIONS = /* @__PURE__ */ new Set(["Def", "RecordDecl", "EnumDecl", "ErrorDecl", "UseModule"]);
function declarations(tree) {
  const out = [];
  const stack = [tree.stmts];
  while (stack.length > 0) {
    const item = stack.pop();
    if (item === null || typeof item !== "object") continue;
    if (DECLARATIONS.has(item.type)) out.push(item);
    if (Array.isArray(item)) for (let i = item.length - 1; i >= 0; i--) stack.push(item[i]);
    else for (const value of Object.values(item)) if (value !== null && typeof value === "object") stack.push(value);
  }
  return out.sort((a, b) => a.start - b.start);
}

// compiler/prelude.ts
var PRELUDE = String.raw`
def each__0(xs, f)
  for x in __each(xs, f)
    f(x)
  end
  xs
end

def each_pair__0(xs, f)
  for k, v in xs
    f(k, v)
  end
  xs
end

def each_key__0(xs, f)
  for k, v in xs
    f(k)
  end
  xs
end

def each_value__0(xs, f)
  for k, v in xs
    f(v)
  end
  xs
end

def each_with_index__0(xs, f)
  i = 0
  for x in xs
    f(x, i)
    i += 1
  end
  xs
end

def each_index__0(xs, f)
  i = 0
  for x in xs
    f(i)
    i += 1
  end
  xs
end

def each_with_object__1(xs, memo, f)
  for x in xs
    f(x, memo)
  end
  memo
end

def each_char__0(text, f)
  for c in __chars(text)
    f(c)
  end
  text
end

def each_line__0(text, f)
  for line in __lines(text)
    f(line)
  end
  text
end

def each_slice__1(xs, n, f)
  for part in xs.each_slice(n)
    f(part)
  end
  xs
end

def each_cons__1(xs, n, f)
  for part in xs.each_cons(n)
    f(part)
  end
  xs
end

def map__0(xs, f)
  out = []
  for x in xs
    out << f(x)
  end
  out
end

def map_with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def with_index__0(xs, f)
  out = []
  i = 0
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def with_index__1(xs, start, f)
  out = []
  i = start
  for x in xs
    out << f(x, i)
    i += 1
  end
  out
end

def flat_map__0(xs, f)
  out = []
  for x in xs
    __append_flat(out, f(x))
  end
  out
end

def filter_map__0(xs, f)
  out = []
  for x in xs
    y = f(x)
    out << y if y
  end
  out
end

def select__0(xs, f)
  out = __like(xs, "select")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

def filter__0(xs, f)
  out = __like(xs, "filter")
  for x in xs
    if f(x)
      __keep(out, x)
    end
  end
  out
end

def reject__0(xs, f)
  out = __like(xs, "reject")
  for x in xs
    unless f(x)
      __keep(out, x)
    end
  end
  out
end

def partition__0(xs, f)
  yes = []
  no = []
  for x in xs
    if f(x)
      yes << x
    else
      no << x
    end
  end
  [yes, no]
end

def reduce__0(xs, f)
  started = false
  acc = nil
  for x in xs
    if started
      acc = f(acc, x)
    else
      acc = x
      started = true
    end
  end
  acc
end

def reduce__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

def inject__0(xs, f)
  started = false
  acc = nil
  for x in xs
    if started
      acc = f(acc, x)
    else
      acc = x
      started = true
    end
  end
  acc
end

def inject__1(xs, init, f)
  acc = init
  for x in xs
    acc = f(acc, x)
  end
  acc
end

def find__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

def detect__0(xs, f)
  for x in xs
    if f(x)
      return x
    end
  end
  nil
end

def find_index__0(xs, f)
  i = 0
  for x in xs
    if f(x)
      return i
    end
    i += 1
  end
  nil
end

def any_q__0(xs, f)
  for x in xs
    if f(x)
      return true
    end
  end
  false
end

def all_q__0(xs, f)
  for x in xs
    unless f(x)
      return false
    end
  end
  true
end

def none_q__0(xs, f)
  for x in xs
    if f(x)
      return false
    end
  end
  true
end

def one_q__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n == 1
end

def count__0(xs, f)
  n = 0
  for x in xs
    n += 1 if f(x)
  end
  n
end

def sum__0(xs, f)
  total = 0
  for x in xs
    total = total + f(x)
  end
  total
end

def sum_by__0(xs, f)
  total = 0
  for x in xs
    total = total + f(x)
  end
  total
end

def min_by__0(xs, f)
  found = false
  best = nil
  least = nil
  for x in xs
    key = f(x)
    if not found or key < least
      found = true
      best = x
      least = key
    end
  end
  best
end

def max_by__0(xs, f)
  found = false
  best = nil
  most = nil
  for x in xs
    key = f(x)
    if not found or key > most
      found = true
      best = x
      most = key
    end
  end
  best
end

def sort_by__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __sort_by(keys, items)
end

def sort__0(xs, f)
  list = __list(xs, "sort")
  n = __size(list)
  width = 1
  while width < n
    out = []
    lo = 0
    while lo < n
      mid = __least(lo + width, n)
      hi = __least(lo + 2 * width, n)
      i = lo
      j = mid
      while i < mid and j < hi
        if f(list[i], list[j]) <= 0
          out << list[i]
          i += 1
        else
          out << list[j]
          j += 1
        end
      end
      __copy(out, list, i, mid)
      __copy(out, list, j, hi)
      lo = hi
    end
    list = out
    width = width * 2
  end
  list
end

def group_by__0(xs, f)
  out = {}
  for x in xs
    __group(out, f(x), x)
  end
  out
end

def uniq__0(xs, f)
  keys = []
  items = []
  for x in xs
    keys << f(x)
    items << x
  end
  __uniq_by(keys, items)
end

def zip_with__1(xs, ys, f)
  out = []
  for pair in xs.zip(ys)
    out << f(pair[0], pair[1])
  end
  out
end

def take_while__0(xs, f)
  out = []
  for x in xs
    unless f(x)
      return out
    end
    out << x
  end
  out
end

def drop_while__0(xs, f)
  out = []
  dropping = true
  for x in xs
    if dropping
      dropping = false unless f(x)
    end
    out << x unless dropping
  end
  out
end

def chunk_while__0(xs, f)
  out = []
  part = nil
  last = nil
  for x in xs
    if part == nil
      part = [x]
    elsif f(last, x)
      part << x
    else
      out << part
      part = [x]
    end
    last = x
  end
  out << part unless part == nil
  out
end

def transform_values__0(h, f)
  out = {}
  for k, v in h
    out[k] = f(v)
  end
  out
end

def transform_keys__0(h, f)
  out = {}
  for k, v in h
    out[f(k)] = v
  end
  out
end

def map_hash__0(h, f)
  out = {}
  for k, v in h
    __pair_into(out, f(k, v))
  end
  out
end

def to_h__0(xs, f)
  out = {}
  for x in xs
    __pair_into(out, f(x))
  end
  out
end

def fetch__1(xs, key, f)
  value = __fetch(xs, key)
  if __size(value) == 1
    return value[0]
  end
  f(key)
end

def times__0(n, f)
  for i in __count(n)
    f(i)
  end
  n
end

def upto__1(n, last, f)
  i = __integer(n, "upto")
  while i <= last
    f(i)
    i += 1
  end
  n
end

def downto__1(n, last, f)
  i = __integer(n, "downto")
  while i >= last
    f(i)
    i -= 1
  end
  n
end

def step__1(xs, by, f)
  for x in xs.step(by)
    f(x)
  end
  xs
end

def step__2(n, last, by, f)
  for x in n.step(last, by)
    f(x)
  end
  n
end

def scan__1(text, pattern, f)
  for m in text.scan(pattern)
    f(m)
  end
  text
end

def gsub__1(text, pattern, f)
  out = []
  for part in __split_matches(text, pattern, 0, "gsub")
    out << part[0]
    if part[1] != nil
      out << "#{f(part[1])}"
    end
  end
  __join(out)
end

def sub__1(text, pattern, f)
  out = []
  for part in __split_matches(text, pattern, 1, "sub")
    out << part[0]
    if part[1] != nil
      out << "#{f(part[1])}"
    end
  end
  __join(out)
end

def tap__0(x, f)
  f(x)
  x
end

def then__0(x, f)
  f(x)
end

def parallel_map(xs, f)
  tasks = []
  for x in xs
    tasks << __start(f, x)
  end
  out = []
  for task in tasks
    out << await task
  end
  out
end

def timeout(seconds, f)
  deadline = __deadline(seconds)
  begin
    f()
  ensure
    __end_deadline(deadline)
  end
end
`;

// compiler/resolve/resolver.ts
var Resolver = class {
  constructor(module, resolution, names, diagnostics) {
    this.module = module;
    this.resolution = resolution;
    this.names = names;
    this.diagnostics = diagnostics;
    this.scope = module.main.root;
  }
  module;
  resolution;
  names;
  diagnostics;
  scope;
  /** Loops and branches around the current place, within the function. */
  loopDepth = 0;
  branchDepth = 0;
  pending = [];
  /** Blocks without parameters around the current place: the innermost one gets `it`. */
  implicitBlocks = [];
  run() {
    this.resolution.functions.set(this.module.tree, this.module.main);
    this.statements(this.module.tree.stmts);
    for (let def3 = this.pending.shift(); def3 !== void 0; def3 = this.pending.shift()) this.defBody(def3);
    for (const [, symbol] of this.module.symbols) if (symbol.kind === "def" && symbol.node.type === "RecordDecl") this.recordFields(symbol.node);
  }
  error(code, node, message, hint2 = "") {
    this.diagnostics.push({ code, severity: "error", message, file: this.module.path, start: node.start, end: node.end, labels: [], hint: hint2 });
  }
  get fn() {
    return this.scope.fn;
  }
  statements(nodes) {
    for (const node of nodes) this.expr(node);
  }
  /** Resolves what may be skipped at run time. */
  branch(resolve2) {
    this.branchDepth++;
    resolve2();
    this.branchDepth--;
  }
  maybe(skipped, resolve2) {
    if (skipped) this.branch(resolve2);
    else resolve2();
  }
  loop(resolve2) {
    this.loopDepth++;
    this.branch(resolve2);
    this.loopDepth--;
  }
  /** Resolves one expression; left-deep chains in a loop. */
  expr(node) {
    const chain = spineOf(node);
    this.leaf(chain[0]);
    for (let i = 1; i < chain.length; i++) this.link(chain[i]);
  }
  /** The rest of a chain's node, whose left part is resolved. */
  link(node) {
    switch (node.type) {
      case "Binary":
        this.expr(node.right);
        break;
      case "Logical":
        this.branch(() => this.expr(node.right));
        break;
      case "Index":
        this.maybe(node.safe, () => this.statements(node.args));
        break;
      case "Method":
        this.maybe(node.safe, () => this.methodRest(node));
        break;
      case "Call":
        this.args(node.args);
        this.callBlock(node);
        break;
      default:
        break;
    }
  }
  methodRest(node) {
    this.args(node.args);
    if (node.block !== null) this.methodBlock(node, node.block);
  }
  args(args) {
    for (const arg of args) this.expr(arg.type === "NamedArg" || arg.type === "Splat" ? arg.value : arg);
  }
  leaf(node) {
    switch (node.type) {
      case "Ident":
        this.read(node);
        break;
      case "Interp":
      case "Regex":
        this.statements(node.parts);
        break;
      case "Vector":
        this.args(node.items);
        break;
      case "Hash":
        this.hashLiteral(node);
        break;
      case "Range":
        this.expr(node.lo);
        if (node.hi !== null) this.expr(node.hi);
        break;
      case "Lambda":
        this.lambda(node);
        break;
      case "Unary":
      case "Await":
        this.expr(node.operand);
        break;
      case "Assign":
      case "OpAssign":
      case "MultiAssign":
      case "HashDestructure":
      case "ConstDecl":
        this.assignment(node);
        break;
      case "Return":
      case "Break":
      case "Next":
        if (node.value !== null) this.expr(node.value);
        break;
      case "Raise":
        this.statements(node.args);
        break;
      case "Def":
        this.pending.push(node);
        break;
      case "UseModule":
      case "RecordDecl":
      case "EnumDecl":
      case "ErrorDecl":
        break;
      default:
        this.control(node);
    }
  }
  control(node) {
    switch (node.type) {
      case "If":
        this.conditional(node);
        break;
      case "While":
        this.loop(() => {
          this.expr(node.cond);
          this.statements(node.body);
        });
        break;
      case "For":
        this.forLoop(node);
        break;
      case "Case":
        this.caseOf(node);
        break;
      case "Begin":
        this.body(node.body);
        break;
      default:
        break;
    }
  }
  hashLiteral(node) {
    for (const entry of node.entries) {
      if (entry.type === "Pair") this.expr(entry.key);
      this.expr(entry.value);
    }
  }
  conditional(node) {
    node.clauses.forEach((clause, i) => {
      if (i === 0) this.expr(clause.cond);
      else this.branch(() => this.expr(clause.cond));
      this.branch(() => this.statements(clause.body));
    });
    const otherwise = node.else;
    if (otherwise !== null) this.branch(() => this.statements(otherwise));
  }
  caseOf(node) {
    if (node.subject !== null) this.expr(node.subject);
    this.branch(() => {
      for (const when2 of node.whens) {
        this.args(when2.patterns);
        this.statements(when2.body);
      }
      if (node.else !== null) this.statements(node.else);
    });
  }
  forLoop(node) {
    this.expr(node.iter);
    this.loop(() => {
      for (const target of node.targets) this.pattern(target, true);
      this.statements(node.body);
    });
  }
  body(body2) {
    const guarded = body2.rescues.length > 0 || body2.ensure !== null;
    const resolve2 = () => {
      this.statements(body2.stmts);
      for (const rescue3 of body2.rescues) this.rescue(rescue3);
      if (body2.else !== null) this.statements(body2.else);
    };
    if (body2.rescues.length > 0) this.loop(resolve2);
    else if (guarded) this.branch(resolve2);
    else resolve2();
    if (body2.ensure !== null) this.statements(body2.ensure);
  }
  rescue(rescue3) {
    this.statements(rescue3.types);
    if (rescue3.name !== null) this.assign(rescue3.name, rescue3.name.name);
    this.statements(rescue3.body);
  }
  // ---- names
  /** What a name means at this place, when it is read. */
  symbolOf(node, name2) {
    const variable = this.find(name2);
    if (variable !== null) return { kind: "variable", variable: this.reach(variable, node) };
    return this.names.lookup(name2, this.module, this.scope);
  }
  read(node) {
    let symbol = this.symbolOf(node, node.name);
    if (symbol.kind === "unknown" && node.name === "it") symbol = this.implicitParameter(node) ?? symbol;
    this.resolution.symbols.set(node, symbol);
  }
  /** The variable of that name that is visible here, or null. */
  find(name2) {
    for (let scope = this.scope; scope !== null; scope = scope.parent) {
      const variable = scope.names.get(name2);
      if (variable !== void 0) return variable;
    }
    return null;
  }
  /** Notes that the current function uses `variable`; through a `spawn` it is a copy that is used. */
  reach(variable, node) {
    let target = variable;
    const path = [];
    for (let fn = this.fn; fn !== variable.scope.fn; fn = fn.parent) {
      path.unshift(fn);
      if (fn.parent === null) break;
    }
    for (const fn of path) target = fn.kind === "spawn" && !target.isConstant ? this.copyInto(fn, target) : this.capture(fn, target, node);
    return target;
  }
  copyInto(fn, variable) {
    const copy = fn.root.declare(variable.name, false, variable);
    copy.assignments = 1;
    return copy;
  }
  capture(fn, variable, node) {
    variable.captured = true;
    if (variable.assignments === 0) variable.shared = true;
    if (variable.scope.isModuleRoot && fn.owner.kind === "def") {
      variable.global = true;
      if (!fn.owner.globalReads.has(variable.name)) fn.owner.globalReads.set(variable.name, node);
    }
    if (!fn.captures.includes(variable)) fn.captures.push(variable);
    return variable;
  }
  /** Declares or finds the variable that an assignment to `name` means. */
  assign(node, name2, isConstant = false) {
    let variable = this.find(name2);
    if (variable !== null && !this.mayAssign(variable)) {
      this.checkGlobalRead(name2);
      variable = null;
    }
    if (variable === null) {
      variable = this.scope.declare(name2, isConstant);
      variable.conditional = this.branchDepth > this.scope.branchDepth;
    } else if (variable.scope.fn !== this.fn) {
      variable = this.reach(variable, node);
      if (variable.scope.fn !== this.fn) variable.shared = true;
    }
    if (variable.scope.fn === this.fn && this.loopDepth > variable.scope.loopDepth) variable.shared = true;
    variable.assignments++;
    this.resolution.symbols.set(node, { kind: "variable", variable });
    return variable;
  }
  /** A `def` never assigns the file's variables: a name it assigns is its own. */
  mayAssign(variable) {
    return variable.scope.fn.owner === this.fn.owner;
  }
  checkGlobalRead(name2) {
    const read = this.fn.owner.globalReads.get(name2);
    if (read === void 0) return;
    this.error(
      "local-before-assignment",
      read,
      `'${name2}' is read here before this function assigns it`,
      `an assignment makes '${name2}' a local of the function; pass the top-level '${name2}' as an argument, or use another name`
    );
  }
  implicitParameter(node) {
    const inner = this.implicitBlocks[this.implicitBlocks.length - 1];
    if (inner === void 0) return null;
    const variable = inner.scope.declare("it");
    variable.assignments = 1;
    this.resolution.implicit.set(inner.block, variable);
    return { kind: "variable", variable: this.reach(variable, node) };
  }
  pattern(pattern, perIteration = false) {
    if (pattern.type === "GroupPattern") {
      for (const item of pattern.items) this.pattern(item, perIteration);
      return;
    }
    if (pattern.name === null) return;
    const fresh = this.find(pattern.name) === null;
    const variable = this.assign(pattern, pattern.name);
    if (perIteration && fresh) {
      variable.perIteration = true;
      variable.shared = false;
    }
  }
  // ---- assignments
  assignment(node) {
    switch (node.type) {
      case "Assign":
        this.plainAssignment(node);
        break;
      case "OpAssign":
        this.opAssignment(node);
        break;
      case "ConstDecl":
        this.constant(node);
        break;
      case "MultiAssign":
        this.expr(node.value);
        for (const target of node.targets) this.target(target);
        break;
      default:
        this.expr(node.value);
        for (const { name: name2 } of node.entries) this.assign(name2, name2.name);
    }
  }
  plainAssignment(node) {
    if (node.target.type !== "Ident") {
      this.target(node.target);
      this.expr(node.value);
      return;
    }
    const { name: name2 } = node.target;
    if (this.find(name2) !== null) {
      this.expr(node.value);
      this.assign(node.target, name2);
      return;
    }
    const variable = this.assign(node.target, name2);
    variable.assignments = 0;
    this.expr(node.value);
    variable.assignments++;
  }
  opAssignment(node) {
    const { target } = node;
    if (target.type !== "Ident") {
      this.target(target);
    } else {
      const variable = this.find(target.name);
      if (variable !== null && !this.mayAssign(variable)) this.reach(variable, target);
      this.assign(target, target.name);
    }
    if (node.op === "||" || node.op === "&&") this.branch(() => this.expr(node.value));
    else this.expr(node.value);
  }
  constant(node) {
    this.expr(node.value);
    const existing = this.find(node.name.name);
    if (existing !== null && existing.isConstant && this.mayAssign(existing)) {
      this.resolution.reassigned.add(node);
      return;
    }
    this.assign(node.name, node.name.name, true);
  }
  target(target) {
    switch (target.type) {
      case "Ident":
        this.assign(target, target.name);
        break;
      case "Member":
        this.expr(target.recv);
        break;
      case "Index":
        this.expr(target.recv);
        this.statements(target.args);
        break;
      case "SplatTarget":
        if (target.target !== null) this.target(target.target);
        break;
      default:
        for (const inner of target.targets) this.target(inner);
    }
  }
  // ---- functions
  /** Resolves in a new function; its body starts outside all loops and branches. */
  inFunction(node, fn, resolve2) {
    this.resolution.functions.set(node, fn);
    const { scope, loopDepth, branchDepth } = this;
    this.scope = fn.root;
    this.loopDepth = 0;
    this.branchDepth = 0;
    resolve2();
    this.scope = scope;
    this.loopDepth = loopDepth;
    this.branchDepth = branchDepth;
  }
  lambda(node) {
    this.inFunction(node, new FunctionScope("lambda", this.fn, this.scope, this.module), () => {
      this.params(node.params);
      this.body(node.body);
    });
  }
  params(params) {
    const seen = /* @__PURE__ */ new Set();
    for (const param2 of params) {
      if (param2.default !== null) this.branch(() => this.expr(param2.default));
      if (seen.has(param2.name) && param2.pattern === null) this.error("duplicate-parameter", param2, `parameter '${param2.name}' is there twice`);
      seen.add(param2.name);
      if (param2.pattern !== null) for (const item of param2.pattern) this.parameterPattern(item);
      else this.parameter(param2, param2.name);
    }
  }
  parameter(node, name2) {
    const variable = this.scope.declare(name2);
    variable.assignments = 1;
    this.resolution.symbols.set(node, { kind: "variable", variable });
  }
  parameterPattern(pattern) {
    if (pattern.type === "GroupPattern") for (const item of pattern.items) this.parameterPattern(item);
    else if (pattern.name !== null) this.parameter(pattern, pattern.name);
  }
  defBody(node) {
    this.inFunction(node, new FunctionScope("def", this.module.main, this.module.main.root, this.module), () => {
      this.params(node.params);
      this.body(node.body);
    });
  }
  recordFields(node) {
    this.inFunction(node, new FunctionScope("def", this.module.main, this.module.main.root, this.module), () => this.params(node.fields));
  }
  // ---- blocks
  callBlock(node) {
    const { block: block2, callee } = node;
    if (block2 === null) return;
    const symbol = callee.type === "Ident" ? this.resolution.symbols.get(callee) : void 0;
    const name2 = symbol?.kind === "native" ? symbol.name : "";
    if (name2 === "loop") this.inlineBlock(block2);
    else this.blockFunction(block2, name2 === "spawn" ? "spawn" : "block");
  }
  methodBlock(node, block2) {
    const plain = node.args.every((arg) => arg.type !== "Splat" && arg.type !== "NamedArg");
    const template = plain ? this.names.template(node.name, node.args.length) : null;
    if (template === null) {
      this.blockFunction(block2, "block");
      return;
    }
    this.resolution.templates.set(node, template);
    this.inlineBlock(block2);
  }
  blockFunction(block2, kind) {
    this.inFunction(block2, new FunctionScope(kind, this.fn, this.scope, this.module), () => this.blockInside(block2));
  }
  /** A block that becomes part of the function around it: a scope, new in each iteration. */
  inlineBlock(block2) {
    const outer = this.scope;
    this.loopDepth++;
    this.branchDepth++;
    this.scope = new Scope(outer, outer.fn, this.loopDepth, this.branchDepth);
    this.resolution.scopes.set(block2, this.scope);
    this.blockInside(block2);
    this.scope = outer;
    this.branchDepth--;
    this.loopDepth--;
  }
  blockInside(block2) {
    if (block2.params === null) this.implicitBlocks.push({ block: block2, scope: this.scope });
    this.params(block2.params ?? []);
    this.body(block2.body);
    if (block2.params === null) this.implicitBlocks.pop();
  }
};

// compiler/index.ts
var EMITTERS = {
  ...literalEmitters,
  ...operatorEmitters,
  ...assignEmitters,
  ...flowEmitters,
  ...handlerEmitters,
  ...functionEmitters,
  ...callEmitters
};
var preludeTree = null;
function preludeModule() {
  const tree = preludeTree ??= parse("prelude", PRELUDE).module;
  const module = new ModuleScope("prelude", PRELUDE, tree, -1, true);
  for (const node of declarations(tree)) if (node.type !== "UseModule") declare(module, node, () => {
  });
  return module;
}
function compile(path, text3, env) {
  const diagnostics = [];
  const resolution = new Resolution();
  const loader = new ModuleLoader(env, resolution, diagnostics);
  const entry = loader.load(path, text3);
  const texts = new Map(loader.modules.map((module) => [module.path, module.text]));
  if (hasErrors(diagnostics)) return { program: null, diagnostics, texts };
  const prelude = preludeModule();
  const names = new Names(env.natives, prelude);
  for (const module of [prelude, ...loader.modules]) new Resolver(module, resolution, names, diagnostics).run();
  if (hasErrors(diagnostics)) return { program: null, diagnostics, texts };
  const program = emit(entry, [...loader.modules, prelude], new ProgramBuilder(resolution, names, EMITTERS, diagnostics));
  return { program: hasErrors(diagnostics) ? null : program, diagnostics, texts };
}
function hasErrors(diagnostics) {
  return diagnostics.some((d) => d.severity === "error");
}
function emit(entry, modules, builder) {
  const { program } = builder;
  const files = modules.filter((module) => !module.isPrelude).sort((a, b) => a.index - b.index);
  program.sources = files.map((module) => ({ path: module.path, text: module.text }));
  program.sources.push({ path: "", text: null });
  program.entry = moduleMain(builder, entry).fn;
  for (let write = builder.queue.shift(); write !== void 0; write = builder.queue.shift()) write();
  for (const fn of program.functions) if (fn !== void 0 && fn.source < 0) fn.source = files.length;
  return program;
}

// vm/bytecode/decode.ts
var InvalidBytecode = class extends Error {
  constructor(what, pc, where) {
    super(`${what} at address ${pc} of ${where}`);
    this.name = "InvalidBytecode";
  }
};
function decode(code, pc, where) {
  const word2 = code[pc];
  const info2 = OPCODE_BY_NUMBER[word2 & 255];
  if (info2 === void 0) throw new InvalidBytecode(`unknown opcode ${word2 & 255}`, pc, where);
  const instruction = {
    pc,
    info: info2,
    length: 1,
    a: word2 >>> 8 & 255,
    b: word2 >>> 16 & 255,
    c: word2 >>> 24,
    immediate: 0,
    extras: {},
    target: -1,
    args: [],
    reads: [],
    writes: []
  };
  readOperands(instruction, word2);
  readExtras(instruction, code);
  if (pc + instruction.length > code.length) throw new InvalidBytecode(`${info2.name} is cut off`, pc, where);
  return instruction;
}
function readOperands(instruction, word2) {
  const { roles } = instruction.info;
  const bytes = [instruction.a, instruction.b, instruction.c];
  for (let i = 0; i < 3; i++) {
    const role = roles[i];
    if (role === "s") instruction.reads.push(bytes[i]);
    else if (role === "d") instruction.writes.push(bytes[i]);
    else if (role === "i") instruction.immediate = bytes[i] << 24 >> 24;
    else if (role === "u") instruction.immediate = bytes[i];
    else if (role === "I") instruction.immediate = word2 >> 16;
    else if (role === "U") instruction.immediate = word2 >>> 16;
  }
}
function readExtras(instruction, code) {
  for (const extra of instruction.info.extras) {
    const at = instruction.pc + instruction.length;
    if (extra === "*") {
      for (let i = 0; i < instruction.c; i++) instruction.args.push(code[at + (i >> 2)] >>> (i & 3) * 8 & 255);
      instruction.length += instruction.c + 3 >> 2;
      instruction.reads.push(...instruction.args);
      continue;
    }
    const value = code[at];
    instruction.extras[extra] = value;
    if (extra === "J") instruction.target = value;
    else if (extra === "X") {
      instruction.writes.push(value & 65535);
      instruction.reads.push(value >>> 16);
    }
    instruction.length++;
  }
}
function decodeAll(code, where) {
  const list = [];
  for (let pc = 0; pc < code.length; ) {
    const instruction = decode(code, pc, where);
    list.push(instruction);
    pc += instruction.length;
  }
  return list;
}

// vm/bytecode/disassemble.ts
function disassemble(program) {
  const parts = program.functions.map((fn, index) => disassembleFunction(program, fn, index));
  const types2 = program.types.map((type, i) => `type ${i}: ${type.kind} ${type.name}`);
  return [...types2, ...parts].join("\n") + "\n";
}
function disassembleFunction(program, fn, index) {
  const params = fn.params.map(({ name: name2, kind }) => kind === "required" ? name2 : `${name2}:${kind}`).join(", ");
  const entry = index === program.entry ? " (entry)" : "";
  const head = `function ${index} ${fn.kind} ${fn.name}(${params})${entry}  ${fn.registers} registers, ${fn.captures} captured  ${program.sources[fn.source].path}`;
  const lines2 = decodeAll(fn.code, fn.name).map((instruction) => line(program, fn, instruction));
  return [head, ...lines2, ...handlerLines(fn), ""].join("\n");
}
function line(program, fn, instruction) {
  const { line: row, column } = positionOf(fn, instruction.pc);
  const position = `${row}:${column}`.padEnd(8);
  return `${String(instruction.pc).padStart(5)}  ${position} ${instruction.info.name.padEnd(10)} ${operandText(program, instruction)}`.trimEnd();
}
function operandText(program, instruction) {
  const { writes, info: info2 } = instruction;
  const target = writes.length > 0 ? `${writes.map((r2) => `r${r2}`).join(", ")} <- ` : "";
  const reads = instruction.reads.slice(0, instruction.reads.length - instruction.args.length).map((r2) => `r${r2}`).join(", ");
  const args = info2.extras.includes("*") ? `(${instruction.args.map((r2) => `r${r2}`).join(", ")})` : "";
  const immediate = /[iuIU]/.test(info2.roles) ? String(instruction.immediate) : "";
  const extras = [...info2.extras].filter((letter) => letter !== "*" && letter !== "X").map((letter) => extraText(program, letter, instruction.extras[letter]));
  return target + [reads, immediate, ...extras].filter(Boolean).join(" ") + args;
}
function extraText(program, letter, value) {
  switch (letter) {
    case "K":
    case "S":
      return constantText(program.constants[value]);
    case "J":
      return `-> ${value}`;
    case "E":
      return `end ${value}`;
    case "F":
      return `${program.functions[value].name}#${value}`;
    case "N":
      return program.natives[value];
    case "G":
      return `slot ${program.slots[value]}#${value}`;
    case "T":
      return program.types[value].name;
    default:
      return `#${value}`;
  }
}
function constantText(constant2) {
  switch (constant2.kind) {
    case "string":
      return JSON.stringify(constant2.value);
    case "integer":
      return String(constant2.value);
    case "float":
      return `float ${constant2.value}`;
    case "regex":
      return `/${constant2.source}/${constant2.flags}`;
    case "names":
      return `{${constant2.value.join(", ")}}`;
  }
}
function handlerLines(fn) {
  const out = [];
  for (let i = 0; i < fn.handlers.length; i += 4) {
    const [start2, end2, handler, kind] = fn.handlers.subarray(i, i + 4);
    out.push(`       ${kind === HANDLES_ALL ? "ensure" : "rescue"} ${start2}..${end2} -> ${handler}`);
  }
  return out;
}

// vm/values/error.ts
var ErrorType = class {
  constructor(name2, parent) {
    this.name = name2;
    this.parent = parent;
  }
  name;
  parent;
  /** Whether this type is `ancestor` or derives from it. */
  is(ancestor) {
    for (let type = this; type !== null; type = type.parent) if (type === ancestor) return true;
    return false;
  }
};
var ErrorValue = class {
  constructor(type, message) {
    this.type = type;
    this.message = message;
  }
  type;
  message;
  trace = null;
  cause = null;
};
var SvcError = class {
  constructor(value) {
    this.value = value;
  }
  value;
};
var Signal = class {
  constructor(kind, payload) {
    this.kind = kind;
    this.payload = payload;
  }
  kind;
  payload;
};
var types = /* @__PURE__ */ new Map();
function define2(name2, parent) {
  const type = new ErrorType(name2, parent);
  types.set(name2, type);
  return type;
}
var root = define2("Error", null);
var io = define2("IOError", root);
var Errors = {
  Error: root,
  RuntimeError: define2("RuntimeError", root),
  TypeError: define2("TypeError", root),
  ArgumentError: define2("ArgumentError", root),
  ValueError: define2("ValueError", root),
  ZeroDivisionError: define2("ZeroDivisionError", root),
  IndexError: define2("IndexError", root),
  KeyError: define2("KeyError", root),
  NameError: define2("NameError", root),
  AttributeError: define2("AttributeError", root),
  OverflowError: define2("OverflowError", root),
  StackError: define2("StackError", root),
  MemoryError: define2("MemoryError", root),
  IOError: io,
  FileNotFoundError: define2("FileNotFoundError", io),
  ConnectionError: define2("ConnectionError", io),
  TimeoutError: define2("TimeoutError", io)
};
types.set("Exception", root);
function builtinErrorType(name2) {
  return types.get(name2);
}
function builtinErrorNames() {
  return [...types.keys()];
}
function fail(type, message) {
  throw new SvcError(new ErrorValue(type, message));
}

// vm/values/function.ts
var NameList = class {
  constructor(names, shape) {
    this.names = names;
    this.shape = shape;
  }
  names;
  shape;
};
var FieldCache = class {
  shape = null;
  slot = 0;
};
var Fn = class {
  name;
  kind;
  code;
  constants;
  functions;
  natives;
  types;
  slots;
  handlers;
  lines;
  file;
  params;
  /** Number of parameters, and of those that must be given by position. */
  arity;
  required;
  /** Number of parameters that positions fill. */
  positional;
  /** All parameters are `required`: a call with `arity` arguments needs no binding. */
  simple;
  lenient;
  doc;
  /** Template of a frame's registers. */
  blank;
  caches;
  /** The closure without captured values, made on first use. */
  self;
  constructor(proto, linkage) {
    this.name = proto.name;
    this.kind = proto.kind;
    this.code = proto.code;
    this.constants = linkage.constants;
    this.functions = linkage.functions;
    this.natives = linkage.natives;
    this.types = linkage.types;
    this.slots = linkage.slots;
    this.handlers = proto.handlers;
    this.lines = proto.lines;
    this.file = linkage.sources[proto.source].path;
    this.params = proto.params;
    this.arity = proto.params.length;
    this.required = proto.params.filter((p) => p.kind === "required").length;
    this.positional = proto.params.filter((p) => p.kind === "required" || p.kind === "optional").length;
    this.simple = this.required === this.arity;
    this.lenient = proto.kind === "block";
    this.doc = proto.doc;
    this.blank = new Array(proto.registers).fill(null);
    this.caches = new Array(proto.code.length).fill(void 0);
    this.self = null;
  }
  /** `name(a, b = 2, *rest)`, as messages show it. */
  signature() {
    return `${this.name}(${this.params.map(paramText).join(", ")})`;
  }
};
function paramText({ name: name2, kind, defaultText }) {
  switch (kind) {
    case "optional":
      return `${name2} = ${defaultText}`;
    case "rest":
      return `*${name2}`;
    case "named":
      return `${name2}:`;
    case "namedOptional":
      return `${name2}: ${defaultText}`;
    default:
      return name2;
  }
}
var Closure = class {
  constructor(fn, captures) {
    this.fn = fn;
    this.captures = captures;
  }
  fn;
  captures;
};
var NativeFunction = class {
  constructor(name2, signature, result, doc, impl, owner = "") {
    this.name = name2;
    this.signature = signature;
    this.result = result;
    this.doc = doc;
    this.impl = impl;
    this.owner = owner;
  }
  name;
  signature;
  result;
  doc;
  impl;
  owner;
  /** Parsed from `signature` on the first call: programs pay for what they use. */
  params = null;
};

// vm/values/value.ts
var ABSENT = Object.freeze({ absent: true });
var Float = class {
  constructor(n) {
    this.n = n;
  }
  n;
};
new Float(0.5);
var Cell = class {
  constructor(value) {
    this.value = value;
  }
  value;
};
function isInteger(value) {
  return typeof value === "number" || typeof value === "bigint";
}
function isNumber(value) {
  return typeof value === "number" || value instanceof Float || typeof value === "bigint";
}

// vm/values/hash.ts
var MAX_SHAPE_KEYS = 16;
var MAX_SHAPES = 1e4;
var NEEDS_ESCAPE = /["\\\x00-\x1f]/;
var era = 0;
var Shape = class _Shape {
  constructor(keys) {
    this.keys = keys;
    keys.forEach((key, i) => this.index.set(key, i));
    this.plain = keys.length > 0 && !NEEDS_ESCAPE.test(keys[keys.length - 1]);
  }
  keys;
  /** Number of shapes made so far in this process. */
  static made = 0;
  index = /* @__PURE__ */ new Map();
  /** The longer shape reached last, when its new key stands in JSON as it is: what a JSON parser expects next. */
  latest = null;
  /** JSON texts before each value, made by the encoder on first use. */
  jsonPrefixes = null;
  /** Whether the last key stands in JSON as it is, without escapes. */
  plain;
  next = /* @__PURE__ */ new Map();
  /** The transitions in `next` belong to this era. */
  era = 0;
  /** The shape with one more key at the end. */
  with(key) {
    let shape = this.next.get(key);
    if (shape === void 0 || this.era !== era) {
      shape = new _Shape([...this.keys, key]);
      this.remember(key, shape);
    }
    if (shape.plain) this.latest = shape;
    return shape;
  }
  remember(key, shape) {
    if (++_Shape.made % MAX_SHAPES === 0) era++;
    if (this.era !== era) this.next.clear();
    this.era = era;
    this.next.set(key, shape);
  }
  /** The shape that a hash with exactly `keys` has, or null when it has too many or a repeated one. */
  static of(keys) {
    if (keys.length > MAX_SHAPE_KEYS || new Set(keys).size !== keys.length) return null;
    let shape = EMPTY_SHAPE;
    for (const key of keys) shape = shape.with(key);
    return shape;
  }
};
var EMPTY_SHAPE = new Shape([]);
function dictionaryKey(key) {
  if (!(key instanceof Float)) return key;
  const { n } = key;
  if (!Number.isInteger(n)) return n;
  return Number.isSafeInteger(n) ? n + 0 : BigInt(n);
}
function fromDictionaryKey(key) {
  return typeof key === "number" && !Number.isInteger(key) ? new Float(key) : key;
}
var Hash = class _Hash {
  shape;
  slots;
  dictionary;
  constructor(shape = EMPTY_SHAPE, slots = []) {
    this.shape = shape;
    this.slots = slots;
    this.dictionary = shape === null ? /* @__PURE__ */ new Map() : null;
  }
  /** A hash of the string keys and values of a JavaScript object or entry list. */
  static from(entries) {
    const hash2 = new _Hash();
    for (const [key, value] of entries) hash2.set(key, value);
    return hash2;
  }
  get size() {
    return this.dictionary === null ? this.slots.length : this.dictionary.size;
  }
  /** Value of `key`, or undefined when it is missing. */
  get(key) {
    if (this.shape !== null) {
      const slot = typeof key === "string" ? this.shape.index.get(key) : void 0;
      return slot === void 0 ? void 0 : this.slots[slot];
    }
    return this.dictionary.get(dictionaryKey(key));
  }
  has(key) {
    return this.get(key) !== void 0;
  }
  set(key, value) {
    if (this.shape === null) {
      this.dictionary.set(dictionaryKey(key), value);
      return;
    }
    if (typeof key === "string") {
      const slot = this.shape.index.get(key);
      if (slot !== void 0) {
        this.slots[slot] = value;
        return;
      }
      if (this.slots.length < MAX_SHAPE_KEYS) {
        this.shape = this.shape.with(key);
        this.slots.push(value);
        return;
      }
    }
    this.toDictionary().set(dictionaryKey(key), value);
  }
  /** Removes `key`; returns its value, or undefined when it was missing. */
  delete(key) {
    const value = this.get(key);
    if (value !== void 0) this.toDictionary().delete(dictionaryKey(key));
    return value;
  }
  clear() {
    this.shape = EMPTY_SHAPE;
    this.slots = [];
    this.dictionary = null;
  }
  /** A new array of the keys, in order. */
  keys() {
    return this.shape === null ? Array.from(this.dictionary.keys(), fromDictionaryKey) : this.shape.keys.slice();
  }
  /** A new array of the values, in order. */
  values() {
    return this.shape === null ? [...this.dictionary.values()] : this.slots.slice();
  }
  /** A new array of [key, value] pairs, in order. */
  entries() {
    if (this.shape === null) return Array.from(this.dictionary, ([key, value]) => [fromDictionaryKey(key), value]);
    return this.shape.keys.map((key, i) => [key, this.slots[i]]);
  }
  /** Shallow copy. */
  copy() {
    const copy = new _Hash(this.shape, this.slots.slice());
    if (this.dictionary !== null) copy.dictionary = new Map(this.dictionary);
    return copy;
  }
  toDictionary() {
    if (this.dictionary !== null) return this.dictionary;
    const dictionary = /* @__PURE__ */ new Map();
    this.shape.keys.forEach((key, i) => dictionary.set(key, this.slots[i]));
    this.dictionary = dictionary;
    this.shape = null;
    this.slots = [];
    return dictionary;
  }
};

// vm/values/handle.ts
var HandleType = class {
  constructor(name2) {
    this.name = name2;
  }
  name;
  methods = /* @__PURE__ */ new Map();
  /** Methods that are read without parentheses and set by `h.name = v`. */
  setters = /* @__PURE__ */ new Map();
};
var Handle = class {
  /** How it prints. */
  describe() {
    return `<${this.type.name}>`;
  }
  /** What `each` and `for` go through, or null when it cannot be iterated. */
  items() {
    return null;
  }
  /** Equality with another value; identity unless the handle stands for a plain value such as a date. */
  equals(other) {
    return this === other;
  }
  /** Order among handles of its kind, or null when they have none. */
  compare(_other) {
    return null;
  }
};

// vm/values/compound.ts
var Range = class {
  constructor(lo, hi, exclusive) {
    this.lo = lo;
    this.hi = hi;
    this.exclusive = exclusive;
  }
  lo;
  hi;
  exclusive;
  /** First and last Integer, as numbers; −1 length when empty. Only for ranges of numbers. */
  integerBounds() {
    const first2 = toNumber(this.lo);
    const hi = this.hi === null ? Infinity : toNumber(this.hi);
    const last = this.exclusive && Number.isInteger(hi) ? hi - 1 : Math.floor(hi);
    return { first: Math.ceil(first2), last };
  }
};
function toNumber(value) {
  return value instanceof Float ? value.n : Number(value);
}
var RecordType = class {
  constructor(name2, fields2, shape) {
    this.name = name2;
    this.fields = fields2;
    this.shape = shape;
  }
  name;
  fields;
  shape;
  /** Set when the program is linked. */
  make = null;
};
var RecordValue = class {
  constructor(type, fields2) {
    this.type = type;
    this.fields = fields2;
  }
  type;
  fields;
};
var EnumType = class {
  constructor(name2, members) {
    this.name = name2;
    this.members = members;
  }
  name;
  members;
};
var Regex = class {
  constructor(source, flags, re) {
    this.source = source;
    this.flags = flags;
    this.re = re;
  }
  source;
  flags;
  re;
};

// vm/values/types.ts
var TypeValue = class {
  constructor(name2, test) {
    this.name = name2;
    this.test = test;
  }
  name;
  test;
  matches(value) {
    return this.test(value);
  }
};
function typeName(value) {
  switch (typeof value) {
    case "string":
      return "String";
    case "number":
    case "bigint":
      return "Integer";
    case "boolean":
      return "Boolean";
    default:
      return value === null ? "Nil" : objectTypeName(value);
  }
}
function objectTypeName(value) {
  if (Array.isArray(value)) return "Vector";
  if (value instanceof Float) return "Float";
  if (value instanceof Hash) return "Hash";
  if (value instanceof RecordValue) return value.type.name;
  if (value instanceof Closure || value instanceof NativeFunction) return "Function";
  if (value instanceof Range) return "Range";
  if (value instanceof Regex) return "Regex";
  if (value instanceof ErrorValue) return value.type.name;
  if (value instanceof Handle) return value.type.name;
  if (value instanceof EnumType) return "Enum";
  return "Type";
}
var isFunction = (v) => v instanceof Closure || v instanceof NativeFunction;
var BUILTIN_TYPES = new Map(
  [
    ["Nil", (v) => v === null],
    ["Boolean", (v) => typeof v === "boolean"],
    ["Integer", (v) => typeof v === "number" || typeof v === "bigint"],
    ["Float", (v) => v instanceof Float],
    ["Number", (v) => typeof v === "number" || typeof v === "bigint" || v instanceof Float],
    ["String", (v) => typeof v === "string"],
    ["Vector", (v) => Array.isArray(v)],
    ["Hash", (v) => v instanceof Hash],
    ["Range", (v) => v instanceof Range],
    ["Function", isFunction],
    ["Record", (v) => v instanceof RecordValue],
    ["Regex", (v) => v instanceof Regex],
    ["Enum", (v) => v instanceof EnumType],
    ["Type", (v) => v instanceof TypeValue || v instanceof RecordType || v instanceof ErrorType]
  ].map(([name2, test]) => [name2, new TypeValue(name2, test)])
);

// vm/native.ts
function native(name2, signature, result, doc, impl) {
  return new NativeFunction(name2, signature, result, doc, impl);
}
function methods(owner, rows) {
  return rows.map(([name2, signature, result, doc, impl]) => new NativeFunction(name2, signature, result, doc, impl, owner));
}
var PARAM = /(\*\*|\*|&)?(\w+[?!]?)(?:: *([\w|?]+))?(?: *= *("(?:[^"\\]|\\.)*"|[^,]+))?(?:, *|$)/y;
function paramsOf(fn) {
  if (fn.params !== null) return fn.params;
  const params = [];
  PARAM.lastIndex = 0;
  while (PARAM.lastIndex < fn.signature.length) {
    const match = PARAM.exec(fn.signature);
    if (match === null) throw new Error(`bad signature of native ${fn.name}: ${fn.signature}`);
    params.push(toParam(match));
  }
  fn.params = params;
  return params;
}
function toParam([, mark, name2, type = "Any", fallback]) {
  const kind = mark === "*" ? "rest" : mark === "**" ? "options" : mark === "&" ? "block" : "plain";
  const nilable = type.endsWith("?");
  return { name: name2, kind, typeText: type, check: checkOf(type), default: fallback !== void 0 ? literal3(fallback.trim()) : nilable && kind === "block" ? null : void 0 };
}
function literal3(text3) {
  if (text3 === "nil") return null;
  if (text3 === "true" || text3 === "false") return text3 === "true";
  if (text3.startsWith('"')) return JSON.parse(text3);
  return text3.includes(".") ? new Float(Number(text3)) : Number(text3);
}
function checkOf(type) {
  if (type === "Any") return () => true;
  if (type.endsWith("?")) {
    const inner = checkOf(type.slice(0, -1));
    return (value) => value === null || inner(value);
  }
  if (type.includes("|")) {
    const inner = type.split("|").map(checkOf);
    return (value) => inner.some((check) => check(value));
  }
  const builtin = BUILTIN_TYPES.get(type);
  return builtin !== void 0 ? (value) => builtin.matches(value) : (value) => typeName(value) === type;
}
function label2(fn) {
  return fn.owner === "" ? `${fn.name}()` : `${fn.owner}.${fn.name}()`;
}
function nativeSignature(fn) {
  const marks = { plain: "", rest: "*", options: "**", block: "&" };
  const texts = paramsOf(fn).map(({ name: name2, kind, default: fallback }) => {
    const text3 = typeof fallback === "string" ? JSON.stringify(fallback) : fallback === null ? "nil" : fallback instanceof Float ? String(fallback.n) : String(fallback);
    return `${marks[kind]}${name2}${fallback === void 0 || kind !== "plain" ? "" : ` = ${text3}`}`;
  });
  return `${fn.name}(${texts.join(", ")})`;
}
function bindNative(fn, args, names) {
  const params = paramsOf(fn);
  if (names === null && args.length === params.length && params.every((p, i) => p.kind === "plain" && p.check(args[i]))) return args;
  return new NativeBinder(fn, params).bind(args, names);
}
var NativeBinder = class {
  constructor(fn, params) {
    this.fn = fn;
    this.params = params;
    this.out = new Array(params.length).fill(void 0);
  }
  fn;
  params;
  out;
  bind(args, names) {
    const count = args.length - (names === null ? 0 : names.names.length);
    this.positional(args.slice(0, count), names !== null && names.names.includes("&"));
    names?.names.forEach((name2, i) => this.named(name2, args[count + i]));
    return this.params.map((param2, i) => this.finish(param2, this.out[i]));
  }
  positional(args, hasBlock) {
    let next = 0;
    this.params.forEach((param2, i) => {
      if (next >= args.length) return;
      if (param2.kind === "rest") {
        const end2 = !hasBlock && this.params[i + 1]?.kind === "block" && typeName(args[args.length - 1]) === "Function" ? args.length - 1 : args.length;
        this.out[i] = args.slice(next, end2);
        next = end2;
      } else if (param2.kind === "options") {
        if (args[next] instanceof Hash) this.out[i] = args[next++].copy();
      } else if (param2.kind !== "block" || !hasBlock) this.out[i] = args[next++];
    });
    if (next < args.length) this.badCount(args.length);
  }
  named(name2, value) {
    const at = this.params.findIndex((p) => name2 === "&" ? p.kind === "block" : p.name === name2 && p.kind === "plain");
    if (at >= 0) {
      if (this.out[at] !== void 0) fail(Errors.ArgumentError, `${label2(this.fn)} got '${name2}' twice: ${nativeSignature(this.fn)}`);
      this.out[at] = value;
      return;
    }
    if (name2 === "&") fail(Errors.ArgumentError, `${label2(this.fn)} takes no block: ${nativeSignature(this.fn)}`);
    const options = this.params.findIndex((p) => p.kind === "options");
    if (options < 0) fail(Errors.ArgumentError, `${label2(this.fn)} has no parameter '${name2}': ${nativeSignature(this.fn)}`);
    const hash2 = this.out[options] ??= new Hash();
    hash2.set(name2, value);
  }
  finish(param2, value) {
    if (param2.kind === "rest") {
      const list = value ?? [];
      for (const item of list) if (!param2.check(item)) this.badType(param2, item);
      return list;
    }
    if (param2.kind === "options") return value ?? new Hash();
    const given2 = value ?? param2.default;
    if (given2 === void 0) return param2.kind === "block" ? fail(Errors.ArgumentError, `${label2(this.fn)} needs a block: ${nativeSignature(this.fn)}`) : this.badCount(this.out.filter((v) => v !== void 0).length);
    if (value !== void 0 && !param2.check(given2)) this.badType(param2, given2);
    return given2;
  }
  badType(param2, value) {
    return fail(Errors.TypeError, `${label2(this.fn)}: ${param2.name} must be ${typeText(param2.typeText)}, got ${typeName(value)}`);
  }
  badCount(given2) {
    const plain = this.params.filter((p) => p.kind === "plain");
    const least = plain.filter((p) => p.default === void 0).length;
    const most = this.params.some((p) => p.kind === "rest") ? Infinity : plain.length;
    return fail(Errors.ArgumentError, `${label2(this.fn)} takes ${countText(least, most)}, got ${given2}: ${nativeSignature(this.fn)}`);
  }
};
function typeText(type) {
  return type.replace(/\?$/, "|nil").replaceAll("|", " or ");
}
function countText(least, most) {
  if (most === Infinity) return `at least ${least} argument${least === 1 ? "" : "s"}`;
  return `${least === most ? least : `${least}..${most}`} argument${most === 1 ? "" : "s"}`;
}

// vm/call.ts
function bindClosure(closure, args, names) {
  const { fn } = closure;
  const regs = fn.blank.slice();
  const given2 = args.length - (names === null ? 0 : names.names.length);
  const positional = given2 === args.length ? args : args.slice(0, given2);
  if (fn.lenient) bindLenient(fn, regs, positional);
  else bindStrict(fn, regs, positional, names !== null && names.names[names.names.length - 1] === "&");
  if (names !== null) names.names.forEach((name2, i) => bindNamed(fn, regs, name2, args[given2 + i], given2));
  checkRequired(fn, regs, given2);
  return regs;
}
function bindLenient(fn, regs, args) {
  const { params } = fn;
  const apart = args.length === 1 && Array.isArray(args[0]) && (params.length > 1 || params.length === 1 && params[0].kind === "rest");
  const list = apart ? args[0] : args;
  let next = 0;
  params.forEach(({ kind }, i) => {
    if (kind === "rest") {
      const after = params.slice(i + 1).filter((p) => p.kind === "required").length;
      const end2 = Math.max(next, list.length - after);
      regs[i] = list.slice(next, end2);
      next = end2;
    } else if (kind === "required") regs[i] = next < list.length ? list[next++] : null;
    else regs[i] = kind === "optional" && next < list.length ? list[next++] : ABSENT;
  });
}
function bindStrict(fn, regs, args, hasBlock) {
  let next = 0;
  const blockAt = hasBlock ? blockParameter(fn) : -1;
  fn.params.forEach(({ kind }, i) => {
    if (kind === "rest") {
      regs[i] = args.slice(next);
      next = Math.max(next, args.length);
    } else regs[i] = (kind === "required" || kind === "optional") && i !== blockAt && next < args.length ? args[next++] : ABSENT;
  });
  if (next < args.length) badCount(fn, args.length + (blockAt >= 0 ? 1 : 0));
}
function blockParameter(fn) {
  for (let i = fn.params.length - 1; i >= 0; i--) if (fn.params[i].kind === "required" || fn.params[i].kind === "optional") return i;
  return -1;
}
function bindNamed(fn, regs, name2, value, given2) {
  const at = name2 === "&" ? blockParameter(fn) : fn.params.findIndex((p) => p.name === name2 && p.kind !== "rest");
  if (at < 0) {
    const rest = fn.params.findIndex((p) => p.kind === "rest");
    if (name2 === "&" && rest >= 0) regs[rest].push(value);
    else if (name2 === "&") badCount(fn, given2 + 1);
    else fail(Errors.ArgumentError, `${fn.name}() has no parameter '${name2}': ${fn.signature()}`);
    return;
  }
  if (regs[at] !== ABSENT && !fn.lenient) fail(Errors.ArgumentError, `${fn.name}() got '${fn.params[at].name}' twice: ${fn.signature()}`);
  regs[at] = value;
}
function checkRequired(fn, regs, given2) {
  fn.params.forEach(({ kind, name: name2 }, i) => {
    if (regs[i] !== ABSENT) return;
    if (kind === "required") badCount(fn, given2);
    if (kind === "named") fail(Errors.ArgumentError, `${fn.name}() needs '${name2}:': ${fn.signature()}`);
  });
}
function badCount(fn, given2) {
  const most = fn.params.some((p) => p.kind === "rest") ? Infinity : fn.positional;
  return fail(Errors.ArgumentError, `${fn.name}() takes ${countText(fn.required, most)}, got ${given2}: ${fn.signature()}`);
}
function spread(vector2, named2) {
  const args = vector2.slice();
  const names = [];
  if (named2 instanceof Hash) {
    for (const [key, value] of named2.entries()) {
      if (typeof key !== "string") fail(Errors.TypeError, "names of arguments must be strings");
      names.push(key);
      args.push(value);
    }
  }
  return { args, names };
}

// vm/continuation.ts
function continuationProgram(link2, globals) {
  globals.set("%done", new NativeFunction("%done", "then: Any, value: Any", "Any", "", (_vm, then, value) => then.done(value)));
  globals.set("%failed", new NativeFunction("%failed", "then: Any, thrown: Any", "Any", "", (_vm, then, thrown) => {
    if (thrown instanceof SvcError || thrown instanceof Signal) return then.failed(thrown);
    throw new Error("continuation of something that was not thrown");
  }));
  const encoder = new Encoder();
  const after = encoder.newLabel();
  encoder.emit(3 /* LOADNIL */, 3);
  const start2 = encoder.pc;
  encoder.emit(73 /* APPLY */, 4, 0, 3, [], [0, 1, 3]);
  encoder.emit(50 /* JUMP */, 0, 0, 0, [after]);
  const handler = encoder.pc;
  encoder.emit(85 /* CATCH */, 4, 1);
  encoder.emit(74 /* NATIVE */, 4, 0, 2, [1], [2, 4]);
  encoder.emit(82 /* RETURN */, 4);
  encoder.bind(after);
  encoder.emit(74 /* NATIVE */, 4, 0, 2, [0], [2, 4]);
  encoder.emit(82 /* RETURN */, 4);
  encoder.protect(start2, handler, handler, HANDLES_ALL);
  const params = ["callee", "args", "then"].map((name2) => ({ name: name2, kind: "required", defaultText: "" }));
  const fn = { name: "call", kind: "def", source: 0, params, registers: 5, captures: 0, doc: "", ...encoder.finish() };
  return link2({ sources: [{ path: "", text: null }], constants: [], functions: [fn], natives: ["%done", "%failed"], types: [], slots: [], entry: 0 }).entry;
}

// vm/frame.ts
var Frame2 = class {
  constructor(parent, fn, self, pc, regs) {
    this.parent = parent;
    this.fn = fn;
    this.self = self;
    this.pc = pc;
    this.regs = regs;
  }
  parent;
  fn;
  self;
  pc;
  regs;
};

// vm/fiber.ts
var NO_VALUE2 = Object.freeze({ noValue: true });
var Deadline = class {
  constructor(seconds2) {
    this.seconds = seconds2;
  }
  seconds;
  fired = false;
  timer = null;
  /** The number of seconds as the program wrote it, for the error text. */
  label = "";
};
var Fiber = class {
  constructor(id, name2, frame, startedAt) {
    this.id = id;
    this.name = name2;
    this.startedAt = startedAt;
    this.frame = frame;
  }
  id;
  name;
  startedAt;
  state = "ready";
  /** Top of the stack while it does not run. */
  frame;
  /** Frames on the stack. */
  depth = 1;
  /** Value for the instruction that `frame` waits in, or NO_VALUE. */
  value = NO_VALUE2;
  /** What to throw at `frame` when it goes on. */
  thrown = null;
  /** A signal that arrived while the fiber was not waiting; thrown at the next safepoint. */
  pending = null;
  /** Cancels the operation that the fiber waits for. */
  cancelWait = null;
  /** What it waits for, in a word, for people. */
  waitsFor = "";
  deadlines = [];
  outcome = null;
  /** Values of natives that belong to this thread alone. */
  locals = /* @__PURE__ */ new Map();
  watchers = [];
  /** Counts waits, so that a late answer to a cancelled one is ignored. */
  waitNumber = 0;
  get finished() {
    return this.outcome !== null;
  }
  /** Calls `watcher` when the fiber has ended, at once when it has already. Returns a function that takes it back. */
  onEnd(watcher) {
    if (this.outcome !== null) {
      watcher(this.outcome);
      return () => {
      };
    }
    this.watchers.push(watcher);
    return () => {
      this.watchers = this.watchers.filter((w) => w !== watcher);
    };
  }
  /** Whether somebody waits for the result, so that an error is not lost. */
  get watched() {
    return this.watchers.length > 0;
  }
  /** Ends the fiber. */
  finish(outcome) {
    const cancelled = !outcome.ok && outcome.error instanceof Signal && outcome.error.kind === "cancel";
    this.state = outcome.ok ? "done" : cancelled ? "cancelled" : "failed";
    this.outcome = outcome;
    this.frame = null;
    const { watchers } = this;
    this.watchers = [];
    for (const watcher of watchers) watcher(outcome);
  }
};

// vm/values/codepoints.ts
var SURROGATE = /[\ud800-\udfff]/;
var lastText = "";
var lastPlain = true;
function isPlain(text3) {
  if (text3.length < 32) return !SURROGATE.test(text3);
  if (text3 === lastText) return lastPlain;
  lastText = text3;
  lastPlain = !SURROGATE.test(text3);
  return lastPlain;
}
function length(text3) {
  if (isPlain(text3)) return text3.length;
  let n = 0;
  for (let i = 0; i < text3.length; n++) i += unitsAt(text3, i);
  return n;
}
function unitsAt(text3, unit) {
  return text3.codePointAt(unit) > 65535 ? 2 : 1;
}
function unitOffset(text3, index) {
  if (isPlain(text3)) return Math.min(index, text3.length);
  let unit = 0;
  for (let i = 0; i < index && unit < text3.length; i++) unit += unitsAt(text3, unit);
  return unit;
}
function pointIndex(text3, unit) {
  return isPlain(text3) ? unit : length(text3.slice(0, unit));
}
function slice(text3, start2, count) {
  if (isPlain(text3)) return text3.slice(start2, start2 + count);
  const from = unitOffset(text3, start2);
  return text3.slice(from, from + unitOffset(text3.slice(from), count));
}
function points(text3) {
  return isPlain(text3) ? text3.split("") : Array.from(text3);
}

// vm/values/decimal.ts
var NATIVE_PLACES = 99;
var view = new DataView(new ArrayBuffer(8));
function exactDigits(n) {
  view.setFloat64(0, n);
  const high = view.getUint32(0);
  const biased = high >>> 20 & 2047;
  const fraction = BigInt(high & 1048575) << 32n | BigInt(view.getUint32(4));
  const mantissa = biased === 0 ? fraction : fraction | 1n << 52n;
  const exponent = Math.max(1, biased) - 1075;
  const digits = (exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)).toString();
  return { digits, point: digits.length + Math.min(0, exponent) };
}
function roundDigits(digits, keep2) {
  if (keep2 >= digits.length) return digits.padEnd(keep2, "0");
  if (keep2 < 0) return "";
  const kept = digits.slice(0, keep2);
  const rest = digits.slice(keep2);
  const half = rest[0] === "5" && /^50*$/.test(rest);
  const odd = kept !== "" && (kept.charCodeAt(keep2 - 1) & 1) === 1;
  if (half ? !odd : rest[0] < "5") return kept;
  return (BigInt(`0${kept}`) + 1n).toString().padStart(keep2, "0");
}
function fixedText(n, places) {
  if (places > NATIVE_PLACES || n >= 1e21) return exactFixed(n, places);
  const text3 = n.toFixed(places);
  if (!Number.isInteger(n * 2 ** (places + 1))) return text3;
  const longer = n.toFixed(places + 1);
  if (!longer.endsWith("5")) return text3;
  const below = longer.slice(0, places === 0 ? -2 : -1);
  return (below.charCodeAt(below.length - 1) & 1) === 0 ? below : text3;
}
function exactFixed(n, places) {
  const { digits, point } = n === 0 ? { digits: "0", point: 1 } : exactDigits(n);
  const rounded = roundDigits(digits, point + places).padStart(places + 1, "0");
  const split = rounded.length - places;
  return places === 0 ? rounded : `${rounded.slice(0, split)}.${rounded.slice(split)}`;
}
function exponentialText(n, places) {
  const native2 = places < NATIVE_PLACES && (n === 0 || !/5e/.test(n.toExponential(places + 1)));
  const [mantissa, exponent] = native2 ? n.toExponential(places).split("e") : exactExponential(n, places);
  const power2 = Number(exponent);
  return `${mantissa}e${power2 < 0 ? "-" : "+"}${String(Math.abs(power2)).padStart(2, "0")}`;
}
function exactExponential(n, places) {
  const { digits, point } = n === 0 ? { digits: "0", point: 1 } : exactDigits(n);
  const rounded = roundDigits(digits, places + 1);
  const carried = rounded.length > places + 1 ? 1 : 0;
  const fraction = rounded.slice(1, places + 1);
  return [fraction === "" ? rounded[0] : `${rounded[0]}.${fraction}`, String(point - 1 + carried)];
}
function generalText(n, significant, full) {
  const digits = Math.max(1, significant);
  const exponential = exponentialText(n, digits - 1);
  const [mantissa, exponent] = exponential.split("e");
  const power2 = Number(exponent);
  if (power2 < -4 || power2 >= digits) return full ? exponential : `${dropZeros(mantissa)}e${exponent}`;
  const fixed = fixedText(n, digits - 1 - power2);
  return full ? fixed : dropZeros(fixed);
}
function dropZeros(text3) {
  if (!text3.includes(".")) return text3;
  let end2 = text3.length;
  while (text3[end2 - 1] === "0") end2--;
  return text3.slice(0, text3[end2 - 1] === "." ? end2 - 1 : end2);
}

// vm/values/text.ts
var MAX_STRING = 1 << 28;
var MAX_DEPTH = 1e3;
function floatText(n) {
  if (Number.isNaN(n)) return "nan";
  if (!Number.isFinite(n)) return n > 0 ? "inf" : "-inf";
  const size = Math.abs(n);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return exponentText(n);
  const text3 = Object.is(n, -0) ? "-0" : String(n);
  return text3.includes(".") ? text3 : `${text3}.0`;
}
function exponentText(n) {
  const [mantissa, exponent] = n.toExponential().split("e");
  const digits = exponent.slice(1).padStart(2, "0");
  return `${mantissa}e${exponent[0]}${digits}`;
}
function toText(value) {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return value === null ? "" : new Printer(false).print(value);
  }
}
function inspect(value) {
  return new Printer(true).print(value);
}
var PLAIN_KEY = /^[A-Za-z_]\w*[?!]?$/;
function quote2(text3) {
  return JSON.stringify(text3).replaceAll("#{", "\\#{");
}
var Printer = class {
  constructor(quoted) {
    this.quoted = quoted;
  }
  quoted;
  /** Containers being printed, against cycles. */
  open = /* @__PURE__ */ new Set();
  print(value) {
    switch (typeof value) {
      case "string":
        return this.quoted ? quote2(value) : value;
      case "number":
      case "bigint":
      case "boolean":
        return String(value);
      default:
        return value === null ? "nil" : this.object(value);
    }
  }
  object(value) {
    if (value instanceof Float) return floatText(value.n);
    if (Array.isArray(value)) return this.nested(value, "[...]", () => `[${this.join(value)}]`);
    if (value instanceof Hash) return this.nested(value, "{...}", () => `{${this.pairs(value)}}`);
    if (value instanceof RecordValue) return this.nested(value, `${value.type.name}(...)`, () => `${value.type.name}(${this.pairs(value.fields)})`);
    if (value instanceof ErrorValue) return this.quoted ? `${value.type.name}(${quote2(value.message)})` : value.message;
    return this.simple(value);
  }
  simple(value) {
    if (value instanceof Range) return `${this.border(value.lo)}${value.exclusive ? "..." : ".."}${value.hi === null ? "" : this.border(value.hi)}`;
    if (value instanceof Closure) return value.fn.kind === "def" ? `<function ${value.fn.name}>` : `<${value.fn.kind === "block" ? "block" : "lambda"}>`;
    if (value instanceof NativeFunction) return `<function ${value.name}>`;
    if (value instanceof Regex) return `/${value.source}/${value.flags}`;
    if (value instanceof Handle) return value.describe();
    if (value instanceof TypeValue || value instanceof RecordType || value instanceof EnumType || value instanceof ErrorType) return value.name;
    return `<${typeName(value)}>`;
  }
  border(value) {
    return this.print(value);
  }
  nested(value, again, print2) {
    if (this.open.has(value)) return again;
    if (this.open.size >= MAX_DEPTH) fail(Errors.ValueError, `value is nested deeper than ${MAX_DEPTH} levels`);
    this.open.add(value);
    const text3 = print2();
    this.open.delete(value);
    if (text3.length > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
    return text3;
  }
  join(values) {
    return values.map((value) => this.print(value)).join(", ");
  }
  pairs(hash2) {
    return hash2.entries().map(([key, value]) => `${this.key(key)}: ${this.print(value)}`).join(", ");
  }
  key(key) {
    if (typeof key === "string") return this.quoted && !PLAIN_KEY.test(key) ? quote2(key) : key;
    return this.print(key);
  }
};

// vm/values/format.ts
var MAX_PRECISION = 1e4;
var DIRECTIVE = /%(?:(\d+)\$)?([-+ 0#]*)(\d+|\*)?(\.(?:\d+|\*)?)?(?:<([^>\n]*)>([-+ 0#]*)(\d+)?(\.\d*)?)?(?:\{([^}\n]*)\}|([a-zA-Z%]))?/g;
var cache = /* @__PURE__ */ new Map();
var CACHE_SIZE = 500;
function parse2(format) {
  const known = cache.get(format);
  if (known !== void 0) return known;
  const parts = [];
  let end2 = 0;
  for (const match of format.matchAll(DIRECTIVE)) {
    parts.push(format.slice(end2, match.index), toDirective(match));
    end2 = match.index + match[0].length;
  }
  parts.push(format.slice(end2));
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(format, parts);
  return parts;
}
function toDirective([text3, position, flags, width, precision, name2, flags2, width2, precision2, braced, letter]) {
  const conversion = braced !== void 0 ? "{" : letter;
  if (conversion === void 0 || !"diufeEgGxXobBscp%{".includes(conversion)) fail(Errors.ValueError, `format(): '${text3}' is no directive; write %% for a percent sign`);
  const dot = precision ?? precision2 ?? null;
  return {
    text: text3,
    position: position === void 0 ? 0 : Number(position),
    flags: flags + (flags2 ?? ""),
    width: width ?? width2 ?? "",
    precision: dot === null ? null : dot.slice(1) || "0",
    name: braced ?? name2 ?? null,
    conversion
  };
}
function formatText(format, values) {
  const formatter = new Formatter(values);
  let out = "";
  for (const part of parse2(format)) {
    const text3 = typeof part === "string" ? part : formatter.render(part);
    if (out.length + text3.length > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
    out += text3;
  }
  return out;
}
var Formatter = class {
  constructor(values) {
    this.values = values;
  }
  values;
  next = 0;
  render(directive) {
    if (directive.conversion === "%") return "%";
    const width = directive.width === "" ? 0 : this.size(directive.width, directive);
    const precision = directive.precision === null ? null : this.size(directive.precision, directive);
    if (precision !== null && precision > MAX_PRECISION) fail(Errors.ValueError, `format(): the precision of '${directive.text}' is beyond ${MAX_PRECISION}`);
    const value = this.take(directive);
    const left = directive.flags.includes("-") || width < 0;
    return pad(convert(directive, value, precision, left ? 0 : width), Math.abs(width), left);
  }
  size(given2, directive) {
    if (given2 !== "*") return Number(given2);
    const value = this.values[this.next++];
    return typeof value === "number" ? value : fail(Errors.TypeError, `format(): '*' of '${directive.text}' needs an Integer`);
  }
  take({ name: name2, position, text: text3 }) {
    if (name2 !== null) return this.named(name2);
    const index = position > 0 ? position - 1 : this.next++;
    if (index >= this.values.length) fail(Errors.ArgumentError, `format(): '${text3}' has no value, ${this.values.length} given`);
    return this.values[index];
  }
  named(name2) {
    const [hash2] = this.values;
    if (!(hash2 instanceof Hash)) return fail(Errors.ArgumentError, `format(): '${name2}' needs a Hash of values`);
    return hash2.get(name2) ?? fail(Errors.KeyError, `format(): no key '${name2}'`);
  }
};
function pad(text3, width, left) {
  const missing2 = width - length(text3);
  if (missing2 <= 0) return text3;
  if (width > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
  return left ? text3 + " ".repeat(missing2) : " ".repeat(missing2) + text3;
}
function convert(directive, value, precision, width) {
  switch (directive.conversion) {
    case "s":
    case "{":
      return cut(toText(value), precision);
    case "p":
      return cut(inspect(value), precision);
    case "c":
      return character(value, directive);
    case "f":
    case "e":
    case "E":
    case "g":
    case "G":
      return floating(directive, value, precision ?? 6, width);
    default:
      return integral(directive, value, precision, width);
  }
}
function cut(text3, precision) {
  return precision === null ? text3 : slice(text3, 0, precision);
}
function character(value, directive) {
  if (typeof value === "string" && value !== "") return slice(value, 0, 1);
  if (typeof value === "number" && value >= 0 && value <= 1114111) return String.fromCodePoint(value);
  return badType(directive, "a character or the number of one", value);
}
function badType({ text: text3 }, wanted, value) {
  return fail(Errors.TypeError, `format(): '${text3}' needs ${wanted}, got ${value === null ? "nil" : typeName(value)}`);
}
function assemble(flags, negative, prefix3, digits, zeros) {
  const sign = negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if (zeros > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
  return sign + prefix3 + digits.padStart(zeros - sign.length - prefix3.length, "0");
}
var BASES = { x: [16, "0x"], X: [16, "0X"], o: [8, "0"], b: [2, "0b"], B: [2, "0B"] };
function integral(directive, value, precision, width) {
  const { flags, conversion } = directive;
  const n = toInteger(directive, value);
  const [base, prefix3] = BASES[conversion] ?? [10, ""];
  const digits = (n < 0 ? -n : n).toString(base).padStart(precision ?? 0, "0");
  const zeros = flags.includes("0") && precision === null ? width : 0;
  return assemble(flags, n < 0, flags.includes("#") ? prefix3 : "", conversion === "X" ? digits.toUpperCase() : digits, zeros);
}
function toInteger(directive, value) {
  if (isInteger(value)) return value;
  if (!(value instanceof Float)) return badType(directive, "a Number", value);
  if (!Number.isFinite(value.n)) fail(Errors.ValueError, `format(): '${directive.text}' cannot show ${floatText(value.n)}`);
  return BigInt(Math.trunc(value.n));
}
function floating(directive, value, precision, width) {
  if (!isNumber(value)) return badType(directive, "a Number", value);
  const { flags, conversion } = directive;
  if (conversion === "f" && typeof value === "bigint") return wholeFixed(value, flags, precision, width);
  const n = value instanceof Float ? value.n : Number(value);
  if (!Number.isFinite(n)) return assemble(flags, n < 0, "", floatText(Math.abs(n)), 0);
  const size = Math.abs(n);
  const kind = conversion.toLowerCase();
  const text3 = kind === "f" ? fixedText(size, precision) : kind === "e" ? exponentialText(size, precision) : generalText(size, precision, flags.includes("#"));
  const negative = n < 0 || Object.is(n, -0);
  return assemble(flags, negative, "", conversion === kind ? text3 : text3.toUpperCase(), flags.includes("0") ? width : 0);
}
function wholeFixed(value, flags, precision, width) {
  const digits = (value < 0n ? -value : value).toString() + (precision > 0 ? `.${"0".repeat(precision)}` : "");
  return assemble(flags, value < 0n, "", digits, flags.includes("0") ? width : 0);
}

// vm/values/arithmetic.ts
var MAX = Number.MAX_SAFE_INTEGER;
var BIG_MAX = BigInt(MAX);
var MAX_BITS = 4e6;
var MAX_ELEMENTS = 1 << 26;
function normalize(b) {
  return b <= BIG_MAX && b >= -BIG_MAX ? Number(b) : b;
}
function toDouble(value) {
  return value instanceof Float ? value.n : Number(value) + 0;
}
function mismatch(verb, join2, a, b, hint2 = "") {
  return fail(Errors.TypeError, `cannot ${verb} ${typeName(a)} ${join2} ${typeName(b)}${hint2}`);
}
function elementwise(a, b, operation2) {
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) fail(Errors.ValueError, `vectors have different lengths: ${a.length} and ${b.length}`);
    return a.map((x, i) => operation2(x, b[i]));
  }
  if (Array.isArray(a) && isNumber(b)) return a.map((x) => operation2(x, b));
  if (Array.isArray(b) && isNumber(a)) return b.map((y) => operation2(a, y));
  return null;
}
function add(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    const t2 = a + b;
    if (t2 <= MAX && t2 >= -MAX) return t2;
  } else if (typeof a === "string" && typeof b === "string") return concat(a, b);
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) + toDouble(b));
    return normalize(BigInt(a) + BigInt(b));
  }
  const hint2 = typeof a === "string" || typeof b === "string" ? ' (use "#{\u2026}" to build text)' : "";
  return elementwise(a, b, add) ?? mismatch("add", "and", a, b, hint2);
}
function concat(a, b) {
  if (a.length + b.length > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
  return a + b;
}
function subtract(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    const t2 = a - b;
    if (t2 <= MAX && t2 >= -MAX) return t2;
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) - toDouble(b));
    return normalize(BigInt(a) - BigInt(b));
  }
  return elementwise(a, b, subtract) ?? mismatch("subtract", "from", b, a);
}
function multiply(a, b) {
  if (typeof a === "number" && typeof b === "number") {
    const t2 = a * b;
    if (t2 <= MAX && t2 >= -MAX) return t2 + 0;
  }
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float) return new Float(toDouble(a) * toDouble(b));
    return normalize(checkBits(bits(a) + bits(b), () => BigInt(a) * BigInt(b)));
  }
  if (isInteger(b) && (typeof a === "string" || Array.isArray(a))) return repeat(a, b);
  return elementwise(a, b, multiply) ?? mismatch("multiply", "and", a, b);
}
function bits(value) {
  return typeof value === "number" ? 54 : value.toString(16).length * 4;
}
function checkBits(count, operation2) {
  if (count > MAX_BITS) fail(Errors.OverflowError, `Integer would have more than ${MAX_BITS} bits`);
  return operation2();
}
function repeat(value, times) {
  const n = Number(times);
  if (n < 0) fail(Errors.ValueError, `cannot repeat ${typeName(value)} ${n} times`);
  if (typeof value === "string") {
    if (value.length * n > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
    return value.repeat(n);
  }
  if (value.length * n > MAX_ELEMENTS) fail(Errors.MemoryError, `vector would have more than ${MAX_ELEMENTS} elements`);
  const out = [];
  for (let i = 0; i < n; i++) for (const x of value) out.push(x);
  return out;
}
function zeroDivision() {
  return fail(Errors.ZeroDivisionError, "division by zero");
}
function divide(a, b) {
  if (isNumber(a) && isNumber(b)) {
    const divisor = toDouble(b);
    if (divisor === 0) zeroDivision();
    return new Float(toDouble(a) / divisor);
  }
  return elementwise(a, b, divide) ?? mismatch("divide", "by", a, b);
}
function floorDivide(a, b) {
  if (isNumber(a) && isNumber(b)) {
    if (b == 0 || b instanceof Float && b.n === 0) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(Math.floor(toDouble(a) / toDouble(b)));
    if (typeof a === "number" && typeof b === "number") return (a - floorMod(a, b)) / b + 0;
    const [x, y] = [BigInt(a), BigInt(b)];
    const q = x / y;
    return normalize(q * y !== x && x < 0n !== y < 0n ? q - 1n : q);
  }
  return elementwise(a, b, floorDivide) ?? mismatch("divide", "by", a, b);
}
function floorMod(a, b) {
  const t2 = a % b;
  return t2 !== 0 && t2 < 0 !== b < 0 ? t2 + b : t2 + 0;
}
function modulo(a, b) {
  if (typeof a === "number" && typeof b === "number") return b === 0 ? zeroDivision() : floorMod(a, b);
  if (isNumber(a) && isNumber(b)) {
    if (toDouble(b) === 0) zeroDivision();
    if (a instanceof Float || b instanceof Float) return new Float(floorMod(toDouble(a), toDouble(b)));
    const [x, y] = [BigInt(a), BigInt(b)];
    const t2 = x % y;
    return normalize(t2 !== 0n && t2 < 0n !== y < 0n ? t2 + y : t2);
  }
  if (typeof a === "string") return formatText(a, Array.isArray(b) ? b : [b]);
  return elementwise(a, b, modulo) ?? mismatch("divide", "by", a, b);
}
function power(a, b) {
  if (isNumber(a) && isNumber(b)) {
    if (a instanceof Float || b instanceof Float || b < 0) return floatPower(toDouble(a), toDouble(b));
    const t2 = Number(a) ** Number(b);
    if (t2 <= MAX && t2 >= -MAX) return t2 + 0;
    return normalize(checkBits(bits(a) * Number(b), () => BigInt(a) ** BigInt(b)));
  }
  return elementwise(a, b, power) ?? mismatch("raise", "to the power of", a, b);
}
function floatPower(base, exponent) {
  if (base === 0 && exponent < 0) zeroDivision();
  return new Float(base ** exponent);
}
function negate(a) {
  if (typeof a === "number") return 0 - a;
  if (typeof a === "bigint") return normalize(-a);
  if (a instanceof Float) return new Float(-a.n);
  if (Array.isArray(a)) return a.map(negate);
  return fail(Errors.TypeError, `cannot negate ${typeName(a)}`);
}

// vm/values/equal.ts
function equal(a, b) {
  if (a === b) return !(a instanceof Float) || a.n === a.n;
  return deepEqual(a, b, 0);
}
function deepEqual(a, b, depth) {
  if (a === b) return !(a instanceof Float) || a.n === a.n;
  if (a instanceof Float) return isNumber(b) && floatEquals(a.n, b);
  if (b instanceof Float) return isNumber(a) && floatEquals(b.n, a);
  if (a instanceof ErrorValue) return typeof b === "string" ? a.message === b : b instanceof ErrorValue && a.type === b.type && a.message === b.message;
  if (b instanceof ErrorValue) return b.message === a;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  return objectsEqual(a, b, depth + 1);
}
function floatEquals(n, b) {
  return b instanceof Float ? n === b.n : typeof b === "number" ? n === b : Number.isInteger(n) && BigInt(n) === b;
}
function objectsEqual(a, b, depth) {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((x, i) => deepEqual(x, b[i], depth));
  if (a instanceof Hash) return b instanceof Hash && hashesEqual(a, b, depth);
  if (a instanceof RecordValue) return b instanceof RecordValue && a.type === b.type && hashesEqual(a.fields, b.fields, depth);
  if (a instanceof Range) return b instanceof Range && a.exclusive === b.exclusive && deepEqual(a.lo, b.lo, depth) && deepEqual(a.hi, b.hi, depth);
  if (a instanceof Regex) return b instanceof Regex && a.source === b.source && a.flags === b.flags;
  if (a instanceof Handle) return a.equals(b);
  return false;
}
function hashesEqual(a, b, depth) {
  if (a.size !== b.size) return false;
  for (const [key, value] of a.entries()) {
    const other = b.get(key);
    if (other === void 0 || !deepEqual(value, other, depth)) return false;
  }
  return true;
}
function compare(a, b) {
  return deepCompare(a, b, 0);
}
function deepCompare(a, b, depth) {
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (Array.isArray(a) && Array.isArray(b) && depth < MAX_DEPTH) return compareVectors(a, b, depth + 1);
  if (a instanceof Handle && b instanceof Handle) {
    const order2 = a.compare(b);
    if (order2 !== null) return order2;
  }
  if (a instanceof ErrorValue) return deepCompare(a.message, b, depth + 1);
  return fail(Errors.TypeError, `cannot compare ${typeName(a)} and ${typeName(b)}`);
}
function compareStrings(a, b) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return fixSurrogate(x) < fixSurrogate(y) ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}
function fixSurrogate(unit) {
  if (unit < 55296) return unit;
  return unit >= 57344 ? unit - 2048 : unit + 8192;
}
function compareNumbers(a, b) {
  const x = a instanceof Float ? a.n : a;
  const y = b instanceof Float ? b.n : b;
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN;
}
function compareVectors(a, b, depth) {
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const order2 = deepCompare(a[i], b[i], depth);
    if (order2 !== 0) return order2;
  }
  return Math.sign(a.length - b.length);
}

// vm/values/successor.ts
function successor(text3) {
  if (text3 === "") return "";
  const units = text3.split("");
  const hasAlnum = /[A-Za-z0-9]/.test(text3);
  for (let i = units.length - 1; i >= 0; i--) {
    if (hasAlnum && !/[A-Za-z0-9]/.test(units[i])) continue;
    const [next, carry] = bump(units[i], hasAlnum);
    units[i] = next;
    if (!carry) return units.join("");
    if (!hasAlnum || !/[A-Za-z0-9]/.test(units.slice(0, i).join(""))) {
      units.splice(i, 0, carry);
      return units.join("");
    }
  }
  return units.join("");
}
function bump(unit, alnum) {
  if (unit === "z") return ["a", "a"];
  if (unit === "Z") return ["A", "A"];
  if (unit === "9" && alnum) return ["0", "1"];
  return [String.fromCharCode(unit.charCodeAt(0) + 1), ""];
}

// vm/iteration.ts
var Iterator = class {
  /** @param list elements to go through, or keys when `hash` is set; null: a number range from `current` to `last` */
  constructor(list, hash2, current, last, exclusive) {
    this.list = list;
    this.hash = hash2;
    this.current = current;
    this.last = last;
    this.exclusive = exclusive;
  }
  list;
  hash;
  current;
  last;
  exclusive;
  index = 0;
  /** The next element, or undefined at the end. */
  next() {
    const { list } = this;
    if (list === null) return this.nextInRange();
    if (this.hash !== null) return this.nextPair(list, this.hash);
    return this.index < list.length ? list[this.index++] : void 0;
  }
  nextPair(keys, hash2) {
    while (this.index < keys.length) {
      const key = keys[this.index++];
      const value = hash2.get(key);
      if (value !== void 0) return [key, value];
    }
    return void 0;
  }
  nextInRange() {
    const { current, last } = this;
    if (typeof current === "number" && typeof last === "number") {
      if (this.exclusive ? current >= last : current > last) return void 0;
      this.current = current < Number.MAX_SAFE_INTEGER ? current + 1 : add(current, 1);
      return current;
    }
    if (last !== null) {
      const order2 = compare(current, last);
      if (this.exclusive ? order2 >= 0 : order2 > 0) return void 0;
    }
    this.current = typeof current === "string" ? successor(current) : add(current, 1);
    return current;
  }
};
function overList(list) {
  return new Iterator(list, null, null, null, false);
}
function overHash(hash2, mode) {
  return new Iterator(hash2.keys(), mode === ITER_EACH ? null : hash2, null, null, false);
}
function iterate(source, mode, name2) {
  if (mode === ITER_COUNT) {
    if (isInteger(source)) return new Iterator(null, null, 0, source, true);
    return noMethod(source, name2);
  }
  if (Array.isArray(source)) return overList(source);
  if (source instanceof Hash) return overHash(source, mode);
  if (source instanceof Range) return overRange(source);
  if (source instanceof RecordValue) return overHash(source.fields, mode);
  if (source instanceof EnumType) return overList(source.members.slice());
  if (source instanceof Handle) return overHandle(source, name2);
  return noMethod(source, name2);
}
function overHandle(source, name2) {
  const items2 = source.items();
  return items2 === null ? noMethod(source, name2) : overList(items2);
}
function overRange(range3) {
  const { lo, hi, exclusive } = range3;
  if (typeof lo === "string" && typeof hi === "string") return overList(stringRange(range3));
  if (lo instanceof Float) fail(Errors.TypeError, "cannot iterate from Float");
  return new Iterator(null, null, lo, hi instanceof Float ? Math.floor(hi.n) : hi, exclusive && !(hi instanceof Float));
}
function stringRange(range3) {
  const out = [];
  const last = range3.hi;
  for (let text3 = range3.lo; text3.length <= last.length; text3 = successor(text3)) {
    if (text3 === last) {
      if (!range3.exclusive) out.push(text3);
      break;
    }
    out.push(text3);
    if (out.length > 1e6) fail(Errors.MemoryError, "range of texts has more than 1000000 elements");
  }
  return out;
}
function noMethod(source, name2) {
  if (name2 === "for") return fail(Errors.TypeError, `cannot iterate over ${source === null ? "nil" : typeName(source)}`);
  return fail(Errors.AttributeError, `${source === null ? "nil" : typeName(source)} has no method '${name2}'`);
}
function elements(source, name2) {
  if (Array.isArray(source)) return source.slice();
  if (source === null || typeof source === "string" || isInteger(source)) return noMethod(source, name2);
  if (source instanceof Range && source.hi === null) fail(Errors.ValueError, `${name2}() needs a range with an end`);
  const iterator = iterate(source, 0, name2);
  const out = [];
  for (let item = iterator.next(); item !== void 0; item = iterator.next()) {
    out.push(item);
    if (out.length > MAX_ELEMENTS2) fail(Errors.MemoryError, `vector would have more than ${MAX_ELEMENTS2} elements`);
  }
  return out;
}
var MAX_ELEMENTS2 = 1 << 26;

// vm/match.ts
function matches(pattern, value) {
  if (typeof pattern !== "object" || pattern === null) return equal(pattern, value);
  if (pattern instanceof Range) return inRange(pattern, value);
  if (pattern instanceof Hash) return matchesShape(pattern, value);
  if (pattern instanceof Regex) return typeof value === "string" && pattern.re.test(value) || value instanceof ErrorValue && pattern.re.test(value.message);
  if (pattern instanceof TypeValue) return pattern.matches(value);
  if (pattern instanceof ErrorType) return value instanceof ErrorValue && value.type.is(pattern);
  if (pattern instanceof RecordType) return value instanceof RecordValue && value.type === pattern;
  if (pattern instanceof EnumType) return typeof value === "string" && pattern.members.includes(value);
  if (pattern instanceof HandleType) return value instanceof Handle && value.type === pattern;
  return equal(pattern, value);
}
function inRange(range3, value) {
  try {
    if (!(compare(range3.lo, value) <= 0)) return false;
    if (range3.hi === null) return true;
    const order2 = compare(value, range3.hi);
    return range3.exclusive ? order2 < 0 : order2 <= 0;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
function matchesShape(pattern, value) {
  const hash2 = value instanceof RecordValue ? value.fields : value;
  if (!(hash2 instanceof Hash)) return false;
  return pattern.entries().every(([key, expected]) => {
    const actual = hash2.get(key);
    return actual !== void 0 && matches(expected, actual);
  });
}

// vm/trace.ts
var HALF = 50;
function traceOf(frame, pc) {
  const frames = [];
  for (let f = frame, at = pc; f !== null; f = f.parent, at = f === null ? 0 : f.pc) frames.push({ frame: f, pc: at });
  const kept = frames.length <= 2 * HALF ? frames : [...frames.slice(0, HALF), ...frames.slice(-HALF)];
  return kept.filter(({ frame: f }) => f.fn.file !== "").map(({ frame: f, pc: at }) => ({ name: f.fn.name, file: f.fn.file, ...positionOf(f.fn, at) }));
}

// vm/values/unique.ts
var identities = /* @__PURE__ */ new WeakMap();
var nextIdentity = 1;
function identityOf(object) {
  let identity = identities.get(object);
  if (identity === void 0) identities.set(object, identity = nextIdentity++);
  return `#${identity};`;
}
var NO_FORM = /* @__PURE__ */ Symbol("no form");
function formOf(value, depth) {
  switch (typeof value) {
    case "string":
      return `s${value.length}:${value}`;
    case "number":
    case "bigint":
      return `n${value};`;
    case "boolean":
      return value ? "t" : "f";
    default:
      return value === null ? "z" : objectForm(value, depth + 1);
  }
}
function objectForm(object, depth) {
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot compare values nested deeper than ${MAX_DEPTH} levels`);
  if (object instanceof Float) return floatForm(object.n);
  if (Array.isArray(object)) return `[${object.map((item) => formOf(item, depth)).join("")}]`;
  if (object instanceof Hash) return hashForm(object, depth);
  if (object instanceof RecordValue) return `R${identityOf(object.type)}${hashForm(object.fields, depth)}`;
  if (object instanceof Range) return `r${object.exclusive ? "x" : "i"}${formOf(object.lo, depth)}${formOf(object.hi, depth)}`;
  if (object instanceof Regex) return `x${formOf(object.source, depth)}${formOf(object.flags, depth)}`;
  if (isIdentity(object)) return identityOf(object);
  throw NO_FORM;
}
function floatForm(n) {
  if (Number.isNaN(n)) throw NO_FORM;
  return Number.isInteger(n) ? `n${BigInt(n)};` : `n${n};`;
}
function hashForm(hash2, depth) {
  return `{${hash2.entries().map(([key, value]) => formOf(key, depth) + formOf(value, depth)).sort().join("")}}`;
}
function isIdentity(object) {
  if (object instanceof Handle) return object.equals === Handle.prototype.equals;
  return object instanceof Closure || object instanceof NativeFunction || object instanceof TypeValue || object instanceof RecordType || object instanceof EnumType || object instanceof ErrorType;
}
function keyOf(value) {
  switch (typeof value) {
    // A text that looks like a form must not meet one.
    case "string":
      return value.charCodeAt(0) === 0 ? `\0${formOf(value, 0)}` : value;
    case "number":
    case "bigint":
    case "boolean":
      return value;
    default:
      return value === null ? null : objectKey(value);
  }
}
function objectKey(object) {
  if (object instanceof Float && Number.isSafeInteger(object.n)) return object.n + 0;
  if (object instanceof Float && !Number.isInteger(object.n)) return Number.isNaN(object.n) ? void 0 : object.n;
  if (object instanceof Float) return BigInt(object.n);
  if (object instanceof ErrorValue) return void 0;
  try {
    return `\0${objectForm(object, 0)}`;
  } catch (error) {
    if (error === NO_FORM) return void 0;
    throw error;
  }
}
var ValueSet = class {
  keys = /* @__PURE__ */ new Set();
  plain = [];
  others = [];
  constructor(values = []) {
    for (const value of values) this.add(value);
  }
  has(value) {
    return this.holds(value, keyOf(value));
  }
  /** Adds `value`; false when it was there already. */
  add(value) {
    const key = keyOf(value);
    if (this.holds(value, key)) return false;
    if (key === void 0) this.others.push(value);
    else {
      this.keys.add(key);
      this.plain.push(value);
    }
    return true;
  }
  holds(value, key) {
    if (key !== void 0 && this.keys.has(key)) return true;
    if (key === void 0 && this.plain.some((other) => equal(other, value))) return true;
    return this.others.length > 0 && this.others.some((other) => equal(other, value));
  }
};
function unique(list) {
  const seen = new ValueSet();
  return list.filter((item) => seen.add(item));
}

// vm/interpreter/slow.ts
var FIXED_WORDS = new Uint8Array(256);
var HAS_ARGS = new Uint8Array(256);
for (const { op, extras } of OPCODES) {
  HAS_ARGS[op] = extras.endsWith("*") ? 1 : 0;
  FIXED_WORDS[op] = 1 + extras.length - HAS_ARGS[op];
}
function lengthAt(code, pc) {
  const w = code[pc];
  const op = w & 255;
  return FIXED_WORDS[op] + (HAS_ARGS[op] === 1 ? (w >>> 24) + 3 >> 2 : 0);
}
function readArgs(R, code, at, n) {
  const out = new Array(n);
  for (let i = 0; i < n; i++) out[i] = R[code[at + (i >> 2)] >>> ((i & 3) << 3) & 255];
  return out;
}
function call2(vm2, fn, R, pc, w) {
  const { code, constants } = fn;
  const n = w >>> 24;
  const recv2 = R[w >>> 16 & 255];
  switch (w & 255) {
    case 74 /* NATIVE */:
      return vm2.invoke(fn.natives[code[pc + 1]], readArgs(R, code, pc + 2, n), null);
    case 75 /* CALLM */:
      return vm2.callMethod(recv2, constants[code[pc + 1]], readArgs(R, code, pc + 2, n), null);
    case 76 /* CALLMN */:
      return vm2.callMethod(recv2, constants[code[pc + 1]], readArgs(R, code, pc + 3, n), constants[code[pc + 2]]);
    case 72 /* CALLN */:
      return vm2.invoke(recv2, readArgs(R, code, pc + 2, n), constants[code[pc + 1]]);
    case 73 /* APPLY */: {
      const [callee, vector2, named2] = readArgs(R, code, pc + 1, n);
      const { args, names } = spread(vector2, named2);
      return vm2.invoke(callee, args, names.length === 0 ? null : new NameList(names, null));
    }
    default: {
      const [receiver, vector2, named2] = readArgs(R, code, pc + 2, n);
      const { args, names } = spread(vector2, named2);
      return vm2.callMethod(receiver, constants[code[pc + 1]], args, names.length === 0 ? null : new NameList(names, null));
    }
  }
}
function newCell(value) {
  return new Cell(value);
}
function addImmediate(a, n) {
  return n < 0 ? subtract(a, -n) : add(a, n);
}
function less(a, b) {
  return compare(a, b) < 0;
}
function lessOrEqual(a, b) {
  return compare(a, b) <= 0;
}
function greater(a, b) {
  return compare(a, b) > 0;
}
function greaterOrEqual(a, b) {
  return compare(a, b) >= 0;
}
function order(a, b) {
  const result = compare(a, b);
  return Number.isNaN(result) ? null : result;
}
function regexMatch(a, b) {
  const regex2 = a instanceof Regex ? a : b;
  const text3 = a instanceof Regex ? b : a;
  if (!(regex2 instanceof Regex)) fail(Errors.TypeError, `=~ needs a Regex, got ${typeName(a)} and ${typeName(b)}`);
  if (text3 === null) return null;
  const subject = text3 instanceof ErrorValue ? text3.message : text3;
  if (typeof subject !== "string") return fail(Errors.TypeError, `=~ needs a String, got ${typeName(text3)}`);
  const at = subject.search(regex2.re);
  return at < 0 ? null : pointIndex(subject, at);
}
function union(a, b) {
  if (a instanceof Hash && b instanceof Hash) {
    const merged = a.copy();
    mergeInto(merged, b);
    return merged;
  }
  if (Array.isArray(a) && Array.isArray(b)) return unique([...a, ...b]);
  return fail(Errors.TypeError, `cannot unite ${typeName(a)} and ${typeName(b)}`);
}
function append2(a, b) {
  if (!Array.isArray(a)) {
    const hint2 = typeof a === "string" ? " (strings do not change; use += or interpolation)" : "";
    return fail(Errors.TypeError, `cannot append to ${a === null ? "nil" : typeName(a)}${hint2}`);
  }
  a.push(b);
  return a;
}
function extend(vector2, source) {
  if (source === null) return;
  for (const item of elements(source, "*")) vector2.push(item);
}
function newHash(keys, values) {
  const hash2 = new Hash();
  keys.names.forEach((key, i) => hash2.set(key, values[i]));
  return hash2;
}
function recordFields(type, values) {
  return type.shape !== null ? new Hash(type.shape, values) : newHash(new NameList(type.fields, null), values);
}
function mergeInto(target, source) {
  if (source === null) return;
  if (!(source instanceof Hash)) fail(Errors.TypeError, `** needs a Hash, got ${typeName(source)}`);
  for (const [key, value] of source.entries()) target.set(key, value);
}
function newRange(lo, hi, exclusive) {
  const fits = isNumber(lo) && (hi === null || isNumber(hi)) || typeof lo === "string" && typeof hi === "string";
  if (!fits) fail(Errors.TypeError, `cannot make a range from ${lo === null ? "nil" : typeName(lo)} to ${hi === null ? "nil" : typeName(hi)}`);
  return new Range(lo, hi, exclusive);
}
function interpolate(R, code, at, n) {
  let text3 = "";
  for (let i = 0; i < n; i++) {
    const value = R[code[at + (i >> 2)] >>> ((i & 3) << 3) & 255];
    const part = typeof value === "string" ? value : toText(value);
    if (text3.length + part.length > MAX_STRING) fail(Errors.MemoryError, `text would be longer than ${MAX_STRING} characters`);
    text3 += part;
  }
  return text3;
}
function itemAt(value, i) {
  if (Array.isArray(value)) return value[i] ?? null;
  return i === 0 ? value : null;
}
function asVector(value) {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}
function restOf(value, from, behind) {
  const list = asVector(value);
  return list.slice(from, Math.max(from, list.length - behind));
}
function itemBehindRest(value, i, counts) {
  const list = asVector(value);
  const before = counts & 255;
  return list[Math.max(before, list.length - (counts >>> 8)) + i] ?? null;
}
function toError(value) {
  if (value instanceof ErrorValue) return new SvcError(value);
  if (value instanceof ErrorType) return new SvcError(new ErrorValue(value, value.name));
  return new SvcError(new ErrorValue(Errors.RuntimeError, toText(value)));
}
function caughtValue(thrown, raw) {
  return raw === 0 && thrown instanceof SvcError ? thrown.value : thrown;
}
function addTrace(error, f, pc) {
  error.value.trace ??= traceOf(f, pc);
}
function findHandler(fn, pc, isError) {
  const { handlers } = fn;
  for (let i = 0; i < handlers.length; i += 4) {
    if (pc >= handlers[i] && pc < handlers[i + 1] && (isError || handlers[i + 3] === HANDLES_ALL)) return handlers[i + 2];
  }
  return -1;
}
function stackOverflow(limit) {
  return fail(Errors.StackError, `stack is deeper than ${limit} calls`);
}
function unknownOpcode(op, pc, fn) {
  throw new Error(`opcode ${op} at ${pc} of ${fn.name}`);
}

// vm/interpreter/run.ts
function run(vm2, fiber) {
  const { fuel } = vm2;
  let f = fiber.frame;
  let d = fiber.depth;
  let x = fiber.value;
  let deliver = x !== NO_VALUE2;
  let fn = f.fn;
  let code = fn.code;
  let K = fn.constants;
  let R = f.regs;
  let pc = f.pc;
  let caught = fiber.thrown;
  fiber.value = NO_VALUE2;
  fiber.thrown = null;
  for (; ; ) {
    try {
      if (caught !== null) {
        const error = caught;
        caught = null;
        throw error;
      }
      reload: for (; ; ) {
        fn = f.fn;
        code = fn.code;
        K = fn.constants;
        R = f.regs;
        pc = f.pc;
        if (deliver) {
          deliver = false;
          R[code[pc] >>> 8 & 255] = x;
          pc += lengthAt(code, pc);
        }
        for (; ; ) {
          const w = code[pc];
          const a = w >>> 8 & 255;
          switch (w & 255) {
            case 1 /* LOADK */:
              R[a] = K[code[pc + 1]];
              pc += 2;
              break;
            case 2 /* LOADI */:
              R[a] = w >> 16;
              pc++;
              break;
            case 3 /* LOADNIL */:
              R[a] = null;
              pc++;
              break;
            case 4 /* LOADTRUE */:
              R[a] = true;
              pc++;
              break;
            case 5 /* LOADFALSE */:
              R[a] = false;
              pc++;
              break;
            case 6 /* ABSENT */:
              R[a] = ABSENT;
              pc++;
              break;
            case 7 /* MOVE */:
              R[a] = R[w >>> 16 & 255];
              pc++;
              break;
            case 8 /* MOVEW */: {
              const u = code[pc + 1];
              R[u & 65535] = R[u >>> 16];
              pc += 2;
              break;
            }
            case 9 /* CAPTURE */:
              R[a] = f.self.captures[w >>> 16];
              pc++;
              break;
            case 10 /* NEWCELL */:
              R[a] = newCell(R[w >>> 16 & 255]);
              pc++;
              break;
            case 11 /* CELLGET */:
              R[a] = R[w >>> 16 & 255].value;
              pc++;
              break;
            case 12 /* CELLSET */:
              R[a].value = R[w >>> 16 & 255];
              pc++;
              break;
            case 13 /* GETSLOT */:
              R[a] = fn.slots[code[pc + 1]];
              pc += 2;
              break;
            case 14 /* SETSLOT */:
              fn.slots[code[pc + 1]] = R[a];
              pc += 2;
              break;
            case 15 /* LOADNATIVE */:
              R[a] = fn.natives[code[pc + 1]];
              pc += 2;
              break;
            case 16 /* LOADTYPE */:
              R[a] = fn.types[code[pc + 1]];
              pc += 2;
              break;
            case 20 /* ADD */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              let t2;
              if (typeof p === "number" && typeof q === "number" && ((t2 = p + q) | 0) === t2) R[a] = t2;
              else if (p instanceof Float && q instanceof Float) R[a] = new Float(p.n + q.n);
              else R[a] = add(p, q);
              pc++;
              break;
            }
            case 21 /* SUB */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              let t2;
              if (typeof p === "number" && typeof q === "number" && ((t2 = p - q) | 0) === t2) R[a] = t2;
              else if (p instanceof Float && q instanceof Float) R[a] = new Float(p.n - q.n);
              else R[a] = subtract(p, q);
              pc++;
              break;
            }
            case 22 /* MUL */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              let t2, i;
              if (typeof p === "number" && typeof q === "number" && (i = (t2 = p * q) | 0) === t2) R[a] = i;
              else if (p instanceof Float && q instanceof Float) R[a] = new Float(p.n * q.n);
              else R[a] = multiply(p, q);
              pc++;
              break;
            }
            case 23 /* DIV */:
              R[a] = divide(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 24 /* IDIV */:
              R[a] = floorDivide(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 25 /* MOD */:
              R[a] = modulo(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 26 /* POW */:
              R[a] = power(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 27 /* ADDI */: {
              const p = R[w >>> 16 & 255], q = w >> 24;
              let t2;
              if (typeof p === "number" && ((t2 = p + q) | 0) === t2) R[a] = t2;
              else R[a] = addImmediate(p, q);
              pc++;
              break;
            }
            case 28 /* NEG */:
              R[a] = negate(R[w >>> 16 & 255]);
              pc++;
              break;
            case 29 /* NOT */: {
              const p = R[w >>> 16 & 255];
              R[a] = p === false || p === null;
              pc++;
              break;
            }
            case 30 /* LT */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              R[a] = typeof p === "number" && typeof q === "number" ? p < q : less(p, q);
              pc++;
              break;
            }
            case 31 /* LE */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              R[a] = typeof p === "number" && typeof q === "number" ? p <= q : lessOrEqual(p, q);
              pc++;
              break;
            }
            case 32 /* GT */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              R[a] = typeof p === "number" && typeof q === "number" ? p > q : greater(p, q);
              pc++;
              break;
            }
            case 33 /* GE */: {
              const p = R[w >>> 16 & 255], q = R[w >>> 24];
              R[a] = typeof p === "number" && typeof q === "number" ? p >= q : greaterOrEqual(p, q);
              pc++;
              break;
            }
            case 34 /* EQ */:
              R[a] = equal(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 35 /* NE */:
              R[a] = !equal(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 36 /* COMPARE */:
              R[a] = order(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 37 /* MATCH */:
              R[a] = regexMatch(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 38 /* UNION */:
              R[a] = union(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 39 /* APPEND */:
              R[a] = append2(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 40 /* MATCHES */:
              R[a] = matches(R[w >>> 16 & 255], R[w >>> 24]);
              pc++;
              break;
            case 50 /* JUMP */:
              pc = code[pc + 1];
              break;
            case 52 /* LOOPHEAD */:
              pc += 2;
              break;
            case 51 /* LOOP */: {
              pc = code[pc + 1];
              if (--fuel[0] < 0) {
                f.pc = pc;
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              break;
            }
            case 53 /* JF */: {
              const p = R[a];
              if (p === false || p === null) pc = code[pc + 1];
              else pc += 2;
              break;
            }
            case 54 /* JT */: {
              const p = R[a];
              if (p === false || p === null) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 55 /* JNIL */:
              if (R[a] === null) pc = code[pc + 1];
              else pc += 2;
              break;
            case 56 /* JGIVEN */:
              if (R[a] === ABSENT) pc += 2;
              else pc = code[pc + 1];
              break;
            case 57 /* JNLT */: {
              const p = R[a], q = R[w >>> 16 & 255];
              if (typeof p === "number" && typeof q === "number" ? p < q : less(p, q)) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 58 /* JNLE */: {
              const p = R[a], q = R[w >>> 16 & 255];
              if (typeof p === "number" && typeof q === "number" ? p <= q : lessOrEqual(p, q)) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 59 /* JNGT */: {
              const p = R[a], q = R[w >>> 16 & 255];
              if (typeof p === "number" && typeof q === "number" ? p > q : greater(p, q)) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 60 /* JNGE */: {
              const p = R[a], q = R[w >>> 16 & 255];
              if (typeof p === "number" && typeof q === "number" ? p >= q : greaterOrEqual(p, q)) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 61 /* JNEQ */:
              if (equal(R[a], R[w >>> 16 & 255])) pc += 2;
              else pc = code[pc + 1];
              break;
            case 62 /* JEQ */:
              if (equal(R[a], R[w >>> 16 & 255])) pc = code[pc + 1];
              else pc += 2;
              break;
            case 63 /* JNLTI */: {
              const p = R[a], q = w >> 16;
              if (typeof p === "number" ? p < q : less(p, q)) pc += 2;
              else pc = code[pc + 1];
              break;
            }
            case 70 /* CALL */: {
              const callee = fn.functions[code[pc + 1]];
              const regs = callee.blank.slice();
              const n = w >>> 24;
              for (let i = 0; i < n; i++) regs[i] = R[code[pc + 2 + (i >> 2)] >>> ((i & 3) << 3) & 255];
              f.pc = pc;
              if (++d > vm2.maxDepth) {
                d--;
                stackOverflow(vm2.maxDepth);
              }
              f = new Frame2(f, callee, null, 0, regs);
              if (--fuel[0] < 0) {
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              fn = callee;
              code = fn.code;
              K = fn.constants;
              R = regs;
              pc = 0;
              break;
            }
            case 71 /* CALLV */: {
              const callee = R[w >>> 16 & 255];
              const n = w >>> 24;
              if (callee instanceof Closure && callee.fn.simple && callee.fn.arity === n && !(n === 1 && callee.fn.lenient)) {
                const regs = callee.fn.blank.slice();
                for (let i = 0; i < n; i++) regs[i] = R[code[pc + 1 + (i >> 2)] >>> ((i & 3) << 3) & 255];
                f.pc = pc;
                if (++d > vm2.maxDepth) {
                  d--;
                  stackOverflow(vm2.maxDepth);
                }
                f = new Frame2(f, callee.fn, callee, 0, regs);
                if (--fuel[0] < 0) {
                  fiber.frame = f;
                  fiber.depth = d;
                  return void 0;
                }
                fn = callee.fn;
                code = fn.code;
                K = fn.constants;
                R = regs;
                pc = 0;
                break;
              }
              f.pc = pc;
              x = vm2.invoke(callee, readArgs(R, code, pc + 1, n), null);
              if (x === void 0) {
                if (vm2.callee !== null) {
                  f = vm2.takeFrame(f, d);
                  d++;
                  if (--fuel[0] >= 0) continue reload;
                }
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              R[a] = x;
              pc += 1 + (n + 3 >> 2);
              break;
            }
            case 72 /* CALLN */:
            case 73 /* APPLY */:
            case 74 /* NATIVE */:
            case 75 /* CALLM */:
            case 76 /* CALLMN */:
            case 77 /* APPLYM */: {
              f.pc = pc;
              vm2.topFrame = f;
              x = call2(vm2, fn, R, pc, w);
              if (x === void 0) {
                if (vm2.callee !== null) {
                  f = vm2.takeFrame(f, d);
                  d++;
                  if (--fuel[0] >= 0) continue reload;
                }
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              R[a] = x;
              pc += lengthAt(code, pc);
              break;
            }
            case 78 /* GETF */: {
              const h = R[w >>> 16 & 255];
              const cache3 = fn.caches[pc];
              if (cache3 !== void 0 && h instanceof Hash && h.shape === cache3.shape) {
                R[a] = h.slots[cache3.slot];
                pc += 2;
                break;
              }
              f.pc = pc;
              x = vm2.getField(fn, pc, h, K[code[pc + 1]]);
              if (x === void 0) {
                if (vm2.callee !== null) {
                  f = vm2.takeFrame(f, d);
                  d++;
                  if (--fuel[0] >= 0) continue reload;
                }
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              R[a] = x;
              pc += 2;
              break;
            }
            case 79 /* SETF */:
              vm2.setField(R[a], K[code[pc + 1]], R[w >>> 16 & 255]);
              pc += 2;
              break;
            case 80 /* INDEX */: {
              const v = R[w >>> 16 & 255], i = R[w >>> 24];
              if (typeof i === "number" && Array.isArray(v) && i >>> 0 === i && i < v.length) {
                R[a] = v[i];
                pc++;
                break;
              }
              f.pc = pc;
              x = vm2.index(v, i);
              if (x === void 0) {
                if (vm2.callee !== null) {
                  f = vm2.takeFrame(f, d);
                  d++;
                  if (--fuel[0] >= 0) continue reload;
                }
                fiber.frame = f;
                fiber.depth = d;
                return void 0;
              }
              R[a] = x;
              pc++;
              break;
            }
            case 81 /* SETINDEX */: {
              const v = R[a], i = R[w >>> 16 & 255];
              if (typeof i === "number" && Array.isArray(v) && i >>> 0 === i && i < v.length) v[i] = R[w >>> 24];
              else vm2.setIndex(v, i, R[w >>> 24]);
              pc++;
              break;
            }
            case 82 /* RETURN */: {
              x = R[a];
              const g = f.parent;
              if (g === null) return x;
              d--;
              f = g;
              fn = f.fn;
              code = fn.code;
              K = fn.constants;
              R = f.regs;
              pc = f.pc;
              R[code[pc] >>> 8 & 255] = x;
              pc += lengthAt(code, pc);
              break;
            }
            case 83 /* THROW */:
              throw toError(R[a]);
            case 84 /* RETHROW */:
              throw R[a];
            case 85 /* CATCH */:
              R[a] = caughtValue(R[a], w >>> 16 & 255);
              pc++;
              break;
            case 90 /* CLOSURE */: {
              const n = w >>> 24;
              const target = fn.functions[code[pc + 1]];
              R[a] = n === 0 ? target.self ??= new Closure(target, []) : new Closure(target, readArgs(R, code, pc + 2, n));
              pc += 2 + (n + 3 >> 2);
              break;
            }
            case 91 /* VECTOR */: {
              const n = w >>> 24;
              R[a] = readArgs(R, code, pc + 1, n);
              pc += 1 + (n + 3 >> 2);
              break;
            }
            case 92 /* VPUSH */:
              R[a].push(R[w >>> 16 & 255]);
              pc++;
              break;
            case 93 /* VEXTEND */:
              extend(R[a], R[w >>> 16 & 255]);
              pc++;
              break;
            case 94 /* HASH */: {
              const n = w >>> 24;
              const keys = K[code[pc + 1]];
              const values = readArgs(R, code, pc + 2, n);
              R[a] = keys.shape !== null ? new Hash(keys.shape, values) : newHash(keys, values);
              pc += 2 + (n + 3 >> 2);
              break;
            }
            case 95 /* HMERGE */:
              mergeInto(R[a], R[w >>> 16 & 255]);
              pc++;
              break;
            case 96 /* RANGE */:
              R[a] = newRange(R[w >>> 16 & 255], R[w >>> 24], false);
              pc++;
              break;
            case 97 /* RANGEX */:
              R[a] = newRange(R[w >>> 16 & 255], R[w >>> 24], true);
              pc++;
              break;
            case 98 /* CONCAT */: {
              const n = w >>> 24;
              R[a] = interpolate(R, code, pc + 1, n);
              pc += 1 + (n + 3 >> 2);
              break;
            }
            case 99 /* NEWREC */: {
              const n = w >>> 24;
              const type = fn.types[code[pc + 1]];
              R[a] = new RecordValue(type, recordFields(type, readArgs(R, code, pc + 2, n)));
              pc += 2 + (n + 3 >> 2);
              break;
            }
            case 110 /* ITER */:
              R[a] = iterate(R[w >>> 16 & 255], w >>> 24, K[code[pc + 1]]);
              pc += 2;
              break;
            case 111 /* NEXT */: {
              const item = R[w >>> 16 & 255].next();
              if (item === void 0) pc = code[pc + 1];
              else {
                R[a] = item;
                pc += 2;
              }
              break;
            }
            case 112 /* NEXT2 */: {
              const item = R[w >>> 24].next();
              if (item === void 0) {
                pc = code[pc + 1];
                break;
              }
              R[a] = itemAt(item, 0);
              R[w >>> 16 & 255] = itemAt(item, 1);
              pc += 2;
              break;
            }
            case 113 /* ITEM */:
              R[a] = itemAt(R[w >>> 16 & 255], w >>> 24);
              pc++;
              break;
            case 114 /* REST */:
              R[a] = restOf(R[w >>> 16 & 255], w >>> 24, code[pc + 1]);
              pc += 2;
              break;
            case 115 /* ITEMEND */:
              R[a] = itemBehindRest(R[w >>> 16 & 255], w >>> 24, code[pc + 1]);
              pc += 2;
              break;
            default:
              unknownOpcode(w & 255, pc, fn);
          }
        }
      }
    } catch (error) {
      const isError = error instanceof SvcError;
      if (!isError && !(error instanceof Signal)) throw error;
      if (isError) addTrace(error, f, pc);
      for (; ; ) {
        const handler = findHandler(f.fn, pc, isError);
        if (handler >= 0) {
          f.pc = handler;
          f.regs[f.fn.code[handler] >>> 8 & 255] = error;
          break;
        }
        if (f.parent === null) throw error;
        f = f.parent;
        d--;
        pc = f.pc;
      }
      deliver = false;
    }
  }
}

// vm/bytecode/verify.ts
function verifyProgram(program) {
  for (const fn of program.functions) {
    verifyHeader(fn, program);
    const flow = verifyFlow(fn);
    for (const instruction of flow.instructions) verifyOperands(instruction, fn, program);
  }
  for (const type of program.types) verifyType(type, program);
  if (program.functions[program.entry] === void 0) throw new InvalidBytecode("no such entry function", program.entry, "the program");
}
function verifyHeader(fn, program) {
  const bad = (what) => {
    throw new InvalidBytecode(what, 0, fn.name);
  };
  if (fn.registers < fn.params.length || fn.registers > MAX_REGISTERS) bad(`${fn.registers} registers`);
  if (fn.captures < 0 || fn.captures > 65535) bad(`${fn.captures} captured values`);
  if (program.sources[fn.source] === void 0) bad("no such source file");
  if (fn.handlers.length % 4 !== 0 || fn.lines.length % 3 !== 0) bad("cut off tables");
}
function verifyType(type, program) {
  const bad = (what) => {
    throw new InvalidBytecode(what, 0, `type ${type.name}`);
  };
  if (type.kind === "record" && program.functions[type.ctor]?.params.length !== type.fields.length) bad("constructor does not fit");
  if (type.kind === "error" && typeof type.parent === "number") {
    const index = program.types.indexOf(type);
    if (type.parent >= index || program.types[type.parent]?.kind !== "error") bad("parent is not an earlier error type");
  }
}
function verifyOperands(instruction, fn, program) {
  const bad = (what) => {
    throw new InvalidBytecode(`${instruction.info.name}: ${what}`, instruction.pc, fn.name);
  };
  for (const register of instruction.reads) if (register >= fn.registers) bad(`register ${register} of ${fn.registers}`);
  for (const register of instruction.writes) if (register >= fn.registers) bad(`register ${register} of ${fn.registers}`);
  for (const [letter, value] of Object.entries(instruction.extras)) if (!extraIsValid(letter, value, program)) bad(`operand ${letter} ${value}`);
  verifyCounts(instruction, fn, program, bad);
}
function extraIsValid(letter, value, program) {
  switch (letter) {
    case "K":
      return program.constants[value] !== void 0 && program.constants[value].kind !== "names";
    case "S":
      return program.constants[value]?.kind === "names";
    case "F":
      return program.functions[value] !== void 0;
    case "N":
      return program.natives[value] !== void 0;
    case "G":
      return program.slots[value] !== void 0;
    case "T":
      return program.types[value] !== void 0;
    default:
      return true;
  }
}
function verifyCounts(instruction, fn, program, bad) {
  const { extras, args, info: info2 } = instruction;
  switch (info2.op) {
    case 70 /* CALL */:
      if (args.length !== program.functions[extras.F].params.length) bad("argument count");
      break;
    case 90 /* CLOSURE */:
      if (args.length !== program.functions[extras.F].captures) bad("capture count");
      break;
    case 9 /* CAPTURE */:
      if (instruction.immediate >= fn.captures) bad("capture index");
      break;
    case 94 /* HASH */:
      if (args.length !== namesOf(program, extras.S).length) bad("key count");
      break;
    case 99 /* NEWREC */:
      verifyNewRecord(program, extras.T, args.length, bad);
      break;
    case 72 /* CALLN */:
    case 76 /* CALLMN */:
      if (args.length < namesOf(program, extras.S).length) bad("name count");
      break;
    case 73 /* APPLY */:
    case 77 /* APPLYM */:
      if (args.length !== 3) bad("argument count");
      break;
    default:
      break;
  }
  const isName = info2.extras.includes("K") && info2.op !== 1 /* LOADK */;
  if (isName && program.constants[extras.K].kind !== "string") bad("name is not a string");
}
function namesOf(program, index) {
  const constant2 = program.constants[index];
  return constant2.kind === "names" ? constant2.value : [];
}
function verifyNewRecord(program, index, count, bad) {
  const type = program.types[index];
  if (type.kind !== "record" || type.fields.length !== count) bad("record fields");
}
function verifyFlow(fn) {
  const instructions = decodeAll(fn.code, fn.name);
  const indexAt = new Int32Array(fn.code.length + 1).fill(-1);
  instructions.forEach((instruction, i) => indexAt[instruction.pc] = i);
  const flow = { instructions, indexAt, regions: [], inner: [], interior: [] };
  const check = new FlowCheck(fn, flow);
  check.collectRegions();
  check.nestRegions();
  check.checkJumps();
  check.checkHandlers();
  check.checkEnds();
  return flow;
}
var FlowCheck = class {
  constructor(fn, flow) {
    this.fn = fn;
    this.flow = flow;
  }
  fn;
  flow;
  handlerStarts = /* @__PURE__ */ new Set();
  bad(what, pc) {
    throw new InvalidBytecode(what, pc, this.fn.name);
  }
  startsAt(pc) {
    return pc >= 0 && pc < this.fn.code.length ? this.flow.indexAt[pc] : -1;
  }
  collectRegions() {
    const { instructions, regions } = this.flow;
    for (const { info: info2, pc, extras } of instructions) {
      if (info2.op === 52 /* LOOPHEAD */) regions.push({ kind: "loop", start: pc, end: extras.E, handler: -1, parent: null });
    }
    const { handlers } = this.fn;
    for (let i = 0; i < handlers.length; i += 4) {
      regions.push({ kind: "try", start: handlers[i], end: handlers[i + 1], handler: handlers[i + 2], parent: null });
      this.handlerStarts.add(handlers[i + 2]);
      if (handlers[i + 3] < 0 || handlers[i + 3] > HANDLES_ALL) this.bad("handler kind", handlers[i]);
    }
    for (const { start: start2, end: end2 } of regions) {
      if (start2 >= end2 || this.startsAt(start2) < 0 || end2 !== this.fn.code.length && this.startsAt(end2) < 0) this.bad("region border", start2);
    }
    regions.reverse().sort((p, q) => p.start - q.start || q.end - p.end || Number(p.kind === "loop") - Number(q.kind === "loop"));
  }
  nestRegions() {
    const { instructions, regions, inner, interior } = this.flow;
    const stack = [];
    let next = 0;
    for (const { pc } of instructions) {
      while (stack.length > 0 && stack[stack.length - 1].end <= pc) stack.pop();
      interior.push(stack[stack.length - 1] ?? null);
      for (; next < regions.length && regions[next].start === pc; next++) {
        const region = regions[next];
        region.parent = stack[stack.length - 1] ?? null;
        if (region.parent !== null && region.parent.end < region.end) this.bad("regions overlap", region.start);
        stack.push(region);
      }
      inner.push(stack[stack.length - 1] ?? null);
    }
  }
  checkJumps() {
    const { instructions } = this.flow;
    instructions.forEach((instruction, i) => {
      const { pc, target, info: info2 } = instruction;
      if (info2.op === 51 /* LOOP */) this.checkLoop(pc, target);
      else if (target >= 0 || info2.extras.includes("J")) this.checkForward(pc, target);
      if (info2.op === 85 /* CATCH */ && !(this.handlerStarts.has(pc) && i > 0 && instructions[i - 1].info.ends)) this.bad("stray CATCH", pc);
    });
  }
  checkLoop(pc, target) {
    const at = this.startsAt(target);
    const head = at < 0 ? void 0 : this.flow.instructions[at];
    if (head === void 0 || head.info.op !== 52 /* LOOPHEAD */) this.bad("LOOP to no LOOPHEAD", pc);
    if (!(target < pc && pc < head.extras.E)) this.bad("LOOP outside its loop", pc);
  }
  checkForward(pc, target) {
    const at = this.startsAt(target);
    if (at < 0) this.bad("jump target", pc);
    if (target <= pc) this.bad("backward jump", pc);
    const region = this.flow.interior[at];
    if (region !== null && region.start > pc) this.bad("jump into a region", pc);
    if (this.handlerStarts.has(target)) this.bad("jump to a handler", pc);
  }
  checkHandlers() {
    const { regions, instructions, interior } = this.flow;
    for (const region of regions) {
      if (region.kind !== "try") continue;
      const at = this.startsAt(region.handler);
      if (at < 0 || instructions[at].info.op !== 85 /* CATCH */ || region.handler < region.end) this.bad("handler", region.start);
      const around = interior[at];
      if (around !== null && (around === region || around.start > region.start)) this.bad("handler inside a region", region.handler);
    }
  }
  checkEnds() {
    const { instructions, inner } = this.flow;
    const last = instructions[instructions.length - 1];
    if (last === void 0 || !last.info.ends) this.bad("code falls off its end", this.fn.code.length);
    for (let i = 1; i <= instructions.length; i++) {
      for (let region = inner[i - 1]; region !== null && (i === instructions.length || region.end <= instructions[i].pc); region = region.parent) {
        if (region.kind === "loop" && !instructions[i - 1].info.ends) this.bad("loop falls through", region.end);
      }
    }
  }
};

// vm/values/regex.ts
var cache2 = /* @__PURE__ */ new Map();
var CACHE_SIZE2 = 500;
function compileRegex(source, flags) {
  const key = `${flags}/${source}`;
  const known = cache2.get(key);
  if (known !== void 0) return known;
  const regex2 = new Regex(source, flags, compile2(source, flags));
  if (cache2.size >= CACHE_SIZE2) cache2.clear();
  cache2.set(key, regex2);
  return regex2;
}
function compile2(source, flags) {
  const text3 = translate(flags.includes("x") ? stripExtended(source) : source);
  const dotAll = flags.includes("m") || flags.includes("s");
  const jsFlags = `m${flags.includes("i") ? "i" : ""}${dotAll ? "s" : ""}`;
  try {
    return needsUnicode(text3) ? new RegExp(text3, `${jsFlags}u`) : new RegExp(text3, jsFlags);
  } catch (error) {
    const reason = error.message.replace(/^Invalid regular expression: /, "").replace(/^\/.*\/\w*: /s, "");
    return fail(Errors.ValueError, `bad regular expression /${source}/: ${reason}`);
  }
}
function needsUnicode(text3) {
  return /[\ud800-\udfff]|\\[pP]\{|\\u\{/.test(text3);
}
var ESCAPES = { A: "(?<![\\s\\S])", z: "(?![\\s\\S])", Z: "(?=\\n?(?![\\s\\S]))", h: "[0-9a-fA-F]" };
var POSIX = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
  word: "\\w"
};
function translate(source) {
  return source.replace(/\\([\s\S])|\[:(\w+):\]/g, (all, escape, name2) => {
    if (escape !== void 0) return ESCAPES[escape] ?? all;
    return POSIX[name2] ?? all;
  });
}
function stripExtended(source) {
  return source.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\s+|#[^\n]*/g, (part) => /^(\s|#)/.test(part) ? "" : part);
}

// vm/link.ts
function link(program, lookup) {
  verifyProgram(program);
  const linkage = {
    constants: program.constants.map(toValue),
    functions: [],
    natives: program.natives.map((name2) => lookup(name2) ?? missing(name2)),
    types: [],
    slots: new Array(program.slots.length).fill(null),
    sources: program.sources
  };
  for (const proto of program.functions) linkage.functions.push(new Fn(proto, linkage));
  for (const type of program.types) linkage.types.push(toType(type, linkage));
  return { ...linkage, entry: linkage.functions[program.entry], program };
}
function missing(name2) {
  throw new InvalidBytecode(`no native function '${name2}'`, 0, "the program");
}
function toValue(constant2) {
  switch (constant2.kind) {
    case "float":
      return new Float(constant2.value);
    case "regex":
      return compileRegex(constant2.source, constant2.flags);
    case "names":
      return new NameList(constant2.value, Shape.of(constant2.value));
    default:
      return constant2.value;
  }
}
function toType(type, linkage) {
  if (type.kind === "enum") return new EnumType(type.name, type.members);
  if (type.kind === "error") {
    const parent = typeof type.parent === "string" ? builtinErrorType(type.parent) : linkage.types[type.parent];
    return new ErrorType(type.name, parent instanceof ErrorType ? parent : Errors.RuntimeError);
  }
  const record2 = new RecordType(type.name, type.fields, Shape.of(type.fields));
  record2.make = new Closure(linkage.functions[type.ctor], []);
  return record2;
}

// vm/members.ts
var MethodTables = class {
  byKind = /* @__PURE__ */ new Map();
  /** Adds methods; a native's owner names its table. */
  add(natives) {
    for (const fn of natives) this.table(fn.owner).set(fn.name, fn);
  }
  table(kind) {
    let table = this.byKind.get(kind);
    if (table === void 0) {
      table = /* @__PURE__ */ new Map();
      this.byKind.set(kind, table);
    }
    return table;
  }
  /** The method `name` of `value`, or undefined. */
  find(value, name2) {
    const own = value instanceof Handle ? value.type.methods.get(name2) : this.byKind.get(kindOf2(value))?.get(name2);
    return own ?? (value instanceof ErrorValue ? this.byKind.get("String")?.get(name2) : void 0) ?? this.byKind.get("Any")?.get(name2);
  }
  /** Names of all methods of `value`, for suggestions. */
  names(value) {
    const own = value instanceof Handle ? value.type.methods : this.table(kindOf2(value));
    return [...own.keys(), ...this.table("Any").keys()];
  }
};
function kindOf2(value) {
  switch (typeof value) {
    case "string":
      return "String";
    case "number":
    case "bigint":
      return "Integer";
    case "boolean":
      return "Boolean";
    default:
      break;
  }
  if (value === null) return "Nil";
  if (Array.isArray(value)) return "Vector";
  if (value instanceof Hash) return "Hash";
  if (value instanceof RecordValue) return "Record";
  return otherKind(value);
}
function otherKind(value) {
  if (value instanceof Float) return "Float";
  if (value instanceof Range) return "Range";
  if (value instanceof ErrorValue) return "Error";
  if (value instanceof Closure || value instanceof NativeFunction) return "Function";
  if (value instanceof Regex) return "Regex";
  if (value instanceof EnumType) return "Enum";
  if (value instanceof TypeValue || value instanceof RecordType || value instanceof ErrorType || value instanceof HandleType) return "Type";
  return "Any";
}
function fieldsOf(value) {
  return value instanceof Hash ? value : value instanceof RecordValue ? value.fields : null;
}
function noSuchMethod(tables, value, name2) {
  const near = nearest(name2, value instanceof RecordValue ? [...value.type.fields, ...tables.names(value)] : tables.names(value));
  const what = value instanceof RecordValue ? "field or method" : "method";
  return fail(Errors.AttributeError, `${value === null ? "nil" : typeName(value)} has no ${what} '${name2}'${near === null ? "" : `, did you mean '${near}'?`}`);
}
function readField(tables, value, name2) {
  if (value instanceof RecordValue) return value.fields.get(name2);
  if (value instanceof EnumType) return value.members.includes(name2) ? name2 : void 0;
  if (value instanceof Hash && tables.find(value, name2) === void 0) return value.get(name2) ?? null;
  return void 0;
}
function cacheField(tables, fn, pc, value, name2) {
  if (!(value instanceof Hash) || value.shape === null || tables.find(value, name2) !== void 0) return;
  const slot = value.shape.index.get(name2);
  if (slot === void 0) return;
  const cache3 = fn.caches[pc] ??= new FieldCache();
  cache3.shape = value.shape;
  cache3.slot = slot;
}
function indexValue(recv2, index) {
  if (Array.isArray(recv2)) return indexVector(recv2, index);
  const fields2 = fieldsOf(recv2);
  if (fields2 !== null) return fields2.get(index) ?? null;
  return void 0;
}
function indexVector(vector2, index) {
  if (index instanceof Range) {
    const bounds = sliceBounds(index, vector2.length);
    return bounds === null ? null : vector2.slice(bounds.start, bounds.end);
  }
  const at = vectorIndex(index);
  return vector2[at < 0 ? at + vector2.length : at] ?? null;
}
function vectorIndex(index) {
  if (typeof index === "number") return index;
  if (isInteger(index)) return Number(index);
  return fail(Errors.TypeError, `index must be Integer or Range, got ${index === null ? "nil" : typeName(index)}`);
}
function sliceBounds(range3, length2) {
  const lo = vectorIndex(range3.lo);
  const start2 = lo < 0 ? lo + length2 : lo;
  if (start2 < 0 || start2 > length2) return null;
  if (range3.hi === null) return { start: start2, end: length2 };
  const hi = vectorIndex(range3.hi);
  const last = hi < 0 ? hi + length2 : hi;
  return { start: start2, end: Math.max(start2, Math.min(length2, range3.exclusive ? last : last + 1)) };
}
function storeIndex(recv2, index, value) {
  if (Array.isArray(recv2)) {
    storeElement(recv2, index, value);
    return true;
  }
  if (recv2 instanceof RecordValue) {
    storeField(recv2, index, value);
    return true;
  }
  if (!(recv2 instanceof Hash)) return false;
  recv2.set(hashKey(index), value);
  return true;
}
function hashKey(key) {
  if (key === null || typeof key !== "object" || key instanceof Float) return key;
  return key instanceof ErrorValue ? key.message : fail(Errors.TypeError, `a hash key must be String, Integer, Float, Boolean or nil, got ${typeName(key)}`);
}
var MAX_GAP = 1e6;
function storeElement(vector2, index, value) {
  const given2 = vectorIndex(index);
  const at = given2 < 0 ? given2 + vector2.length : given2;
  if (at < 0) fail(Errors.IndexError, `index ${given2} is before the start of a vector with ${vector2.length} elements`);
  if (at - vector2.length > MAX_GAP) fail(Errors.IndexError, `index ${given2} is too far behind the end of a vector with ${vector2.length} elements`);
  while (vector2.length < at) vector2.push(null);
  vector2[at] = value;
}
function storeField(record2, name2, value) {
  if (!record2.fields.has(name2)) fail(Errors.AttributeError, `${record2.type.name} has no field '${String(name2)}'`);
  record2.fields.set(name2, value);
}
function storeNamed(recv2, name2, value) {
  if (recv2 instanceof Hash) {
    recv2.set(name2, value);
    return true;
  }
  if (!(recv2 instanceof RecordValue)) return false;
  storeField(recv2, name2, value);
  return true;
}

// vm/scheduler.ts
var SLICE_MS = 1;
var FIRST_FUEL = 2e4;
var MIN_FUEL = 500;
var MAX_FUEL = 5e6;
var DEFAULT_MAX_FIBERS = 1e4;
var Scheduler = class {
  /** @param fixedSlice safepoints of each slice, or 0 to follow the clock */
  constructor(machine, host, timers, fixedSlice) {
    this.machine = machine;
    this.host = host;
    this.timers = timers;
    this.fixedSlice = fixedSlice;
    if (fixedSlice > 0) this.sliceFuel = fixedSlice;
  }
  machine;
  host;
  timers;
  fixedSlice;
  live = /* @__PURE__ */ new Set();
  stats = { started: 0, slices: 0, preempted: 0 };
  current = null;
  maxFibers = DEFAULT_MAX_FIBERS;
  woken = [];
  spent = [];
  scheduled = false;
  nextId = 1;
  sliceFuel = FIRST_FUEL;
  idleWatchers = [];
  /** Called when no fiber is ready to run. */
  onQuiet = () => {
  };
  /** A new fiber that starts with `frame`; it runs when the scheduler gets to it. @throws RuntimeError when there are too many */
  start(name2, frame) {
    const fiber = this.create(name2, frame);
    this.woken.push(fiber);
    this.wake();
    return fiber;
  }
  create(name2, frame) {
    if (this.live.size >= this.maxFibers) fail(Errors.RuntimeError, `too many threads: ${this.maxFibers} are running; wait for some to end before starting more`);
    const fiber = new Fiber(this.nextId++, name2, frame, this.host.now());
    this.stats.started++;
    this.live.add(fiber);
    return fiber;
  }
  /** Starts a fiber and runs it at once, up to its first wait, when nothing else is running. */
  startNow(name2, frame) {
    if (this.current !== null || this.woken.length > 0) return this.start(name2, frame);
    const fiber = this.create(name2, frame);
    this.slice(fiber);
    return fiber;
  }
  /** Throws `signal` in the fiber: at once when it waits, else at its next safepoint. */
  interrupt(fiber, signal) {
    if (fiber.finished) return;
    if (fiber.state === "waiting") {
      fiber.cancelWait?.();
      this.resume(fiber, fiber.waitNumber, NO_VALUE2, signal);
    } else fiber.pending ??= signal;
  }
  /** Ends a fiber; its `ensure` blocks run. */
  cancel(fiber) {
    this.interrupt(fiber, new Signal("cancel", null));
  }
  /** Starts the deadline of a `timeout` block in the running fiber. */
  pushDeadline(seconds2) {
    const fiber = this.current;
    const deadline = new Deadline(seconds2);
    deadline.timer = this.timers.add(seconds2 * 1e3, () => {
      deadline.fired = true;
      this.interrupt(fiber, new Signal("deadline", deadline));
    });
    fiber.deadlines.push(deadline);
    return deadline;
  }
  /** Ends a deadline; true when it has fired. */
  popDeadline(deadline) {
    const fiber = this.current;
    fiber.deadlines.splice(fiber.deadlines.lastIndexOf(deadline), 1);
    if (deadline.timer !== null) this.timers.cancel(deadline.timer);
    if (fiber.pending?.payload === deadline) fiber.pending = null;
    return deadline.fired;
  }
  /** Calls `watcher` once no fiber is alive. */
  whenIdle(watcher) {
    if (this.live.size === 0) watcher();
    else this.idleWatchers.push(watcher);
  }
  wake() {
    if (this.scheduled) return;
    this.scheduled = true;
    this.host.defer(() => this.turn());
  }
  /** One turn: the woken fibers for at most a slice's time, then one spent fiber. */
  turn() {
    this.scheduled = false;
    const until = this.host.now() + SLICE_MS;
    const batch = this.woken;
    this.woken = [];
    let next = 0;
    while (next < batch.length) {
      this.slice(batch[next++]);
      if (next < batch.length && this.host.now() >= until) break;
    }
    if (next < batch.length) this.woken = batch.slice(next).concat(this.woken);
    const spent = this.spent.shift();
    if (spent !== void 0) this.slice(spent);
    if (this.woken.length > 0 || this.spent.length > 0) this.wake();
    else if (this.live.size > 0) this.onQuiet();
  }
  /** Raises an error in a fiber that waits. */
  failWait(fiber, error) {
    fiber.cancelWait?.();
    this.resume(fiber, fiber.waitNumber, NO_VALUE2, error);
  }
  /** Runs one fiber until it ends, waits, or has used up its slice. */
  slice(fiber) {
    const { fuel } = this.machine;
    this.current = fiber;
    fiber.state = "running";
    if (fiber.pending !== null) {
      fiber.thrown ??= fiber.pending;
      fiber.pending = null;
    }
    fuel[0] = this.sliceFuel;
    this.stats.slices++;
    const startedAt = this.host.now();
    try {
      const value = this.machine.run(fiber);
      if (value !== void 0) this.end(fiber, { ok: true, value });
      else this.suspended(fiber, startedAt);
    } catch (error) {
      if (!(error instanceof SvcError) && !(error instanceof Signal)) throw error;
      this.end(fiber, { ok: false, error });
    } finally {
      this.current = null;
    }
  }
  suspended(fiber, startedAt) {
    const wait = this.machine.takeWait();
    if (wait === null) {
      fiber.state = "ready";
      this.stats.preempted++;
      this.calibrate(startedAt);
      this.spent.push(fiber);
      this.wake();
      return;
    }
    fiber.state = "waiting";
    fiber.waitsFor = wait.what;
    const number2 = ++fiber.waitNumber;
    const failed = (thrown) => this.resume(fiber, number2, NO_VALUE2, thrown);
    try {
      const cancel2 = wait.start((value) => this.resume(fiber, number2, value, null), failed);
      if (fiber.waitNumber === number2 && fiber.state === "waiting") fiber.cancelWait = cancel2 ?? null;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      failed(error);
    }
    const signal = fiber.pending;
    if (signal === null) return;
    fiber.pending = null;
    this.interrupt(fiber, signal);
  }
  resume(fiber, number2, value, thrown) {
    if (fiber.state !== "waiting" || fiber.waitNumber !== number2) return;
    fiber.state = "ready";
    fiber.cancelWait = null;
    fiber.waitsFor = "";
    fiber.value = value;
    fiber.thrown = thrown;
    this.woken.push(fiber);
    this.wake();
  }
  calibrate(startedAt) {
    if (this.fixedSlice > 0) return;
    const elapsed = Math.max(0.01, this.host.now() - startedAt);
    const wanted = this.sliceFuel * SLICE_MS / elapsed;
    this.sliceFuel = Math.round(Math.min(MAX_FUEL, Math.max(MIN_FUEL, (this.sliceFuel + wanted) / 2)));
  }
  end(fiber, outcome) {
    this.live.delete(fiber);
    for (const deadline of fiber.deadlines) if (deadline.timer !== null) this.timers.cancel(deadline.timer);
    const unheard = !outcome.ok && !fiber.watched;
    fiber.finish(outcome);
    if (unheard && !outcome.ok) this.machine.unhandled(fiber, outcome.error);
    if (this.live.size === 0) {
      const watchers = this.idleWatchers;
      this.idleWatchers = [];
      for (const watcher of watchers) watcher();
    }
  }
};

// vm/timers.ts
var Timers = class {
  constructor(host) {
    this.host = host;
  }
  host;
  heap = [];
  cancelHost = null;
  armedFor = Infinity;
  count = 0;
  get isEmpty() {
    return this.heap.length === 0;
  }
  /** Runs `callback` after `ms` milliseconds. */
  add(ms, callback) {
    const timer = { at: this.host.now() + ms, order: this.count++, callback, cancelled: false };
    this.heap.push(timer);
    this.up(this.heap.length - 1);
    this.arm();
    return timer;
  }
  cancel(timer) {
    timer.cancelled = true;
    while (this.heap.length > 0 && this.heap[0].cancelled) this.pop();
    if (this.heap.length === 0) this.disarm();
  }
  disarm() {
    this.cancelHost?.();
    this.cancelHost = null;
    this.armedFor = Infinity;
  }
  arm() {
    const first2 = this.heap[0];
    if (first2 === void 0 || first2.at >= this.armedFor) return;
    this.disarm();
    this.armedFor = first2.at;
    this.cancelHost = this.host.setTimer(Math.max(0, first2.at - this.host.now()), () => this.fire());
  }
  fire() {
    this.cancelHost = null;
    this.armedFor = Infinity;
    const now = this.host.now();
    while (this.heap.length > 0 && (this.heap[0].cancelled || this.heap[0].at <= now)) {
      const timer = this.pop();
      if (!timer.cancelled) timer.callback();
    }
    this.arm();
  }
  before(i, j) {
    const a = this.heap[i];
    const b = this.heap[j];
    return a.at < b.at || a.at === b.at && a.order < b.order;
  }
  swap(i, j) {
    [this.heap[i], this.heap[j]] = [this.heap[j], this.heap[i]];
  }
  up(i) {
    for (let parent = i - 1 >> 1; i > 0 && this.before(i, parent); parent = i - 1 >> 1) {
      this.swap(i, parent);
      i = parent;
    }
  }
  pop() {
    const top = this.heap[0];
    const last = this.heap.pop();
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.down(0);
    }
    return top;
  }
  down(i) {
    for (; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) if (child < this.heap.length && this.before(child, least)) least = child;
      if (least === i) return;
      this.swap(i, least);
      i = least;
    }
  }
};

// vm/vm.ts
var VM = class {
  constructor(host, options = {}) {
    this.host = host;
    this.maxDepth = options.maxDepth ?? 1e4;
    this.timers = new Timers(host);
    this.scheduler = new Scheduler(this, host, this.timers, options.slice ?? 0);
    this.resumeFn = continuationProgram((program) => this.link(program), this.globals);
  }
  host;
  fuel = new Int32Array(1);
  timers;
  scheduler;
  methods = new MethodTables();
  /** Functions, constants and types that programs reach by name. */
  globals = /* @__PURE__ */ new Map();
  /** State of native modules, by module. */
  modules = /* @__PURE__ */ new Map();
  maxDepth;
  /** The closure that a helper wants run in a frame of its own, with its registers; null when it waits. */
  callee = null;
  /** Frame of the native call that is running, for messages that name a place. */
  topFrame = null;
  registers = [];
  waitStart = null;
  waitWhat = "";
  resumeFn;
  /** Set by the host: shows an error of a fiber that nobody waits for. */
  report = () => {
  };
  /** Decides what to do with such an error; shows it unless a module knows better. */
  onUnhandled = (fiber, error) => this.report(fiber, error);
  /** Makes functions (by name) and methods (by owner) known. */
  define(natives) {
    for (const fn of natives) if (fn.owner === "") this.globals.set(fn.name, fn);
    this.methods.add(natives.filter((fn) => fn.owner !== ""));
  }
  /** Verifies and binds a program. @throws InvalidBytecode */
  link(program) {
    return link(program, (name2) => this.globals.get(name2));
  }
  /** A linked function without captured values as a value. */
  closureOf(fn) {
    return fn.self ??= new Closure(fn, []);
  }
  /** A first frame that calls `callee` with `args`. @throws TypeError, ArgumentError */
  frameFor(callee, args) {
    if (!(callee instanceof Closure)) return fail(Errors.TypeError, `${typeName(callee)} is not a function`);
    return new Frame2(null, callee.fn, callee, 0, bindClosure(callee, args, null));
  }
  /** Starts a fiber that calls `callee` with `args`. */
  spawn(name2, callee, args) {
    return this.scheduler.start(name2, this.frameFor(callee, args));
  }
  /** Starts a fiber and runs it up to its first wait. */
  spawnNow(name2, callee, args) {
    return this.scheduler.startNow(name2, this.frameFor(callee, args));
  }
  /** Starts a fiber that runs a native, and runs it up to its first wait. */
  spawnNative(name2, fn) {
    this.callThen(fn, [], { done: (value) => value, failed: (thrown) => {
      throw thrown;
    } });
    const callee = this.callee;
    this.callee = null;
    return this.scheduler.startNow(name2, new Frame2(null, callee.fn, callee, 0, this.registers));
  }
  run(fiber) {
    return run(this, fiber);
  }
  unhandled(fiber, error) {
    if (error instanceof Signal && error.kind === "cancel") return;
    this.onUnhandled(fiber, error);
  }
  /** For natives: the place of the call that is running. */
  position() {
    const frame = this.topFrame;
    return frame === null ? null : traceOf(frame, frame.pc)[0] ?? null;
  }
  /** The error that raising `value` throws. */
  toError(value) {
    return toError(value);
  }
  takeWait() {
    const start2 = this.waitStart;
    this.waitStart = null;
    return start2 === null ? null : { start: start2, what: this.waitWhat };
  }
  /** For natives: suspends the running fiber until `start`'s operation resumes it. `what` says in a word what it waits for. Return its result. */
  wait(what, start2) {
    this.waitStart = start2;
    this.waitWhat = what;
    return void 0;
  }
  /** For natives: waits for a promise; a rejection with an SvcError is raised, any other one becomes an IOError. */
  waitFor(what, promise) {
    return this.wait(what, (resume, failed) => {
      promise.then(resume, (error) => failed(error instanceof SvcError ? error : new SvcError(new ErrorValue(Errors.IOError, String(error.message ?? error)))));
    });
  }
  /** For natives: calls `callee` in place of the native; its result is the native's. Return this result. */
  call(callee, args) {
    return this.invoke(callee, args, null);
  }
  /** For natives: calls `callee`, then gives its value, or what it threw, to `then`, whose result is the native's. Return this result. */
  callThen(callee, args, then) {
    this.callee = this.closureOf(this.resumeFn);
    this.registers = this.resumeFn.blank.slice();
    [this.registers[0], this.registers[1], this.registers[2]] = [callee, args, then];
    return void 0;
  }
  /** The frame for `callee`, on top of `parent`, which stands on `depth` frames. */
  takeFrame(parent, depth) {
    const callee = this.callee;
    this.callee = null;
    if (depth >= this.maxDepth) stackOverflow(this.maxDepth);
    return new Frame2(parent, callee.fn, callee, 0, this.registers);
  }
  /** Calls any value. undefined: see `callee`. */
  invoke(callee, args, names) {
    if (callee instanceof Closure) {
      this.registers = bindClosure(callee, args, names);
      this.callee = callee;
      return void 0;
    }
    if (callee instanceof NativeFunction) return this.invokeNative(callee, args, names);
    if (callee instanceof RecordType) return this.invoke(callee.make, args, names);
    if (callee instanceof ErrorType) return newError(callee, args);
    return fail(Errors.TypeError, `${callee === null ? "nil" : typeName(callee)} is not a function`);
  }
  invokeNative(fn, args, names) {
    const bound = bindNative(fn, args, names);
    const { impl } = fn;
    switch (bound.length) {
      case 0:
        return this.answer(impl(this));
      case 1:
        return this.answer(impl(this, bound[0]));
      case 2:
        return this.answer(impl(this, bound[0], bound[1]));
      case 3:
        return this.answer(impl(this, bound[0], bound[1], bound[2]));
      default:
        return this.answer(impl(this, ...bound));
    }
  }
  invokeMethod(fn, recv2, args, names) {
    const bound = bindNative(fn, args, names);
    const { impl } = fn;
    switch (bound.length) {
      case 0:
        return this.answer(impl(this, recv2));
      case 1:
        return this.answer(impl(this, recv2, bound[0]));
      case 2:
        return this.answer(impl(this, recv2, bound[0], bound[1]));
      default:
        return this.answer(impl(this, recv2, ...bound));
    }
  }
  /** A native without a result that neither waits nor calls has answered nil. */
  answer(value) {
    return value === void 0 ? this.callee === null && this.waitStart === null ? null : void 0 : value;
  }
  callMethod(recv2, name2, args, names) {
    const fn = this.methods.find(recv2, name2);
    if (fn !== void 0) return this.invokeMethod(fn, recv2, args, names);
    const field = fieldsOf(recv2)?.get(name2);
    if (field !== void 0 && (field instanceof Closure || field instanceof NativeFunction)) return this.invoke(field, args, names);
    return noSuchMethod(this.methods, recv2, name2);
  }
  getField(fn, pc, recv2, name2) {
    const field = readField(this.methods, recv2, name2);
    if (field !== void 0) {
      cacheField(this.methods, fn, pc, recv2, name2);
      return field;
    }
    const method2 = this.methods.find(recv2, name2);
    return method2 === void 0 ? noSuchMethod(this.methods, recv2, name2) : this.invokeMethod(method2, recv2, [], null);
  }
  setField(recv2, name2, value) {
    if (storeNamed(recv2, name2, value)) return;
    const setter = recv2 instanceof Handle ? recv2.type.setters.get(name2) : void 0;
    if (setter === void 0) fail(Errors.AttributeError, `cannot set '${name2}' of ${recv2 === null ? "nil" : typeName(recv2)}`);
    this.invokeMethod(setter, recv2, [value], null);
  }
  index(recv2, index) {
    const value = indexValue(recv2, index);
    if (value !== void 0) return value;
    const method2 = this.methods.find(recv2, "[]");
    if (method2 === void 0) fail(Errors.TypeError, `cannot index ${recv2 === null ? "nil" : typeName(recv2)}`);
    return this.invokeMethod(method2, recv2, [index], null);
  }
  setIndex(recv2, index, value) {
    if (storeIndex(recv2, index, value)) return;
    const method2 = this.methods.find(recv2, "[]=");
    if (method2 === void 0) {
      const hint2 = typeof recv2 === "string" ? " (strings do not change; build a new one)" : "";
      fail(Errors.TypeError, `cannot assign to an index of ${recv2 === null ? "nil" : typeName(recv2)}${hint2}`);
    }
    this.invokeMethod(method2, recv2, [index, value], null);
  }
  /** Starts a `timeout` deadline in the running fiber. */
  pushDeadline(seconds2) {
    return this.scheduler.pushDeadline(seconds2);
  }
};
function newError(type, args) {
  if (args.length > 1) fail(Errors.ArgumentError, `${type.name}() takes 0..1 arguments, got ${args.length}`);
  return new ErrorValue(type, args.length === 0 ? type.name : toText(args[0]));
}

// svcc/host.ts
function nodeHost(streams) {
  return {
    now: () => performance.now(),
    defer: (callback) => void setImmediate(callback),
    setTimer: (ms, callback) => {
      const timer = setTimeout(callback, Math.min(ms, 2147483647));
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    stdout: streams.stdout,
    stderr: streams.stderr
  };
}
function processStreams() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {
  });
  return {
    stdout: (text3) => void process.stdout.write(text3),
    stderr: (text3) => void process.stderr.write(text3)
  };
}

// natives/core/intrinsics.ts
var DOC = "Intrinsic of the compiler.";
function nameOf3(value) {
  return value === null ? "nil" : typeName(value);
}
function noMethod2(value, name2) {
  return fail(Errors.AttributeError, `${nameOf3(value)} has no method '${name2}'`);
}
function like(value, name2) {
  if (value instanceof Hash || value instanceof RecordValue) return new Hash();
  if (value === null || typeof value !== "object") noMethod2(value, name2);
  return [];
}
function keep(out, item) {
  if (out instanceof Hash) out.set(item[0], item[1]);
  else out.push(item);
}
function appendFlat(out, value) {
  if (Array.isArray(value)) for (const item of value) out.push(item);
  else out.push(value);
}
function eachSource(source, fn) {
  const single = !(fn instanceof Closure) || fn.fn.arity < 2;
  return source instanceof Hash && single ? source.keys() : source;
}
function sortBy(keys, items2) {
  const order2 = keys.map((_, i) => i);
  order2.sort((i, j) => compare(keys[i], keys[j]));
  return order2.map((i) => items2[i]);
}
function group(out, key, item) {
  const list = out.get(key);
  if (list === void 0) out.set(key, [item]);
  else list.push(item);
}
function uniqueBy(keys, items2) {
  const first2 = /* @__PURE__ */ new Map();
  const wrapped = unique(keys);
  let next = 0;
  keys.forEach((key, i) => {
    if (next < wrapped.length && key === wrapped[next]) {
      first2.set(next, items2[i]);
      next++;
    }
  });
  return [...first2.values()];
}
function pairInto(out, pair) {
  if (!Array.isArray(pair) || pair.length !== 2) fail(Errors.TypeError, `the block must give a [key, value] pair, got ${nameOf3(pair)}`);
  out.set(pair[0], pair[1]);
}
function fetched(source, key) {
  const fields2 = fieldsOf(source);
  if (fields2 !== null) {
    const value = fields2.get(key);
    return value === void 0 ? [] : [value];
  }
  if (!Array.isArray(source)) return noMethod2(source, "fetch");
  const at = isInteger(key) ? Number(key) : NaN;
  const index = at < 0 ? at + source.length : at;
  return index in source ? [source[index]] : [];
}
function integer(value, name2) {
  return isInteger(value) ? value : noMethod2(value, name2);
}
function splitMatches(text3, pattern, limit, name2) {
  const subject = text3 instanceof ErrorValue ? text3.message : text3;
  if (typeof subject !== "string") return noMethod2(text3, name2);
  const source = pattern instanceof Regex ? pattern.re : typeof pattern === "string" ? new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")) : fail(Errors.TypeError, `${name2}() needs a String or Regex, got ${nameOf3(pattern)}`);
  const out = [];
  let at = 0;
  for (const match of subject.matchAll(new RegExp(source.source, `${source.flags.replace("g", "")}g`))) {
    out.push([subject.slice(at, match.index), match[0]]);
    at = match.index + match[0].length;
    if (limit > 0 && out.length >= limit) break;
  }
  out.push([subject.slice(at), null]);
  return out;
}
function lines(text3) {
  if (typeof text3 !== "string") return noMethod2(text3, "each_line");
  return text3.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
function caused(vm2, error, cause) {
  const value = error instanceof ErrorValue ? error : vm2.toError(error).value;
  if (cause instanceof ErrorValue && cause !== value) value.cause ??= cause;
  return value;
}
function fields(value) {
  return fieldsOf(value) ?? fail(Errors.TypeError, `cannot take ${nameOf3(value)} apart by keys: it is no Hash`);
}
function constantAgain(vm2, name2) {
  const place = vm2.position();
  vm2.host.stderr(`${place === null ? "" : `${place.file}:${place.line}: `}warning: constant ${name2} keeps its first value
`);
}
function isFunction2(value) {
  return value instanceof Closure || value instanceof NativeFunction;
}
function intrinsic(name2, signature, impl) {
  return native(`%${name2}`, signature, "Any", DOC, impl);
}
var intrinsics = [
  intrinsic("like", "xs, name", (_vm, xs, name2) => like(xs, name2)),
  intrinsic("keep", "out, x", (_vm, out, x) => keep(out, x)),
  intrinsic("append_flat", "out, x", (_vm, out, x) => appendFlat(out, x)),
  intrinsic("each", "xs, f", (_vm, xs, f) => eachSource(xs, f)),
  intrinsic("list", "xs, name", (_vm, xs, name2) => elements(xs, name2)),
  intrinsic("size", "xs", (_vm, xs) => xs.length),
  intrinsic("least", "a, b", (_vm, a, b) => Math.min(a, b)),
  intrinsic("copy", "out, xs, from, to", (_vm, out, xs, from, to) => {
    for (let i = from; i < to; i++) out.push(xs[i]);
  }),
  intrinsic("sort_by", "keys, items", (_vm, keys, items2) => sortBy(keys, items2)),
  intrinsic("group", "out, key, x", (_vm, out, key, x) => group(out, key, x)),
  intrinsic("uniq_by", "keys, items", (_vm, keys, items2) => uniqueBy(keys, items2)),
  intrinsic("pair_into", "out, pair", (_vm, out, pair) => pairInto(out, pair)),
  intrinsic("fetch", "xs, key", (_vm, xs, key) => fetched(xs, key)),
  intrinsic("integer", "n, name", (_vm, n, name2) => integer(n, name2)),
  intrinsic("chars", "text", (_vm, text3) => typeof text3 === "string" ? points(text3) : noMethod2(text3, "each_char")),
  intrinsic("lines", "text", (_vm, text3) => lines(text3)),
  intrinsic("split_matches", "text, pattern, limit, name", (_vm, text3, pattern, limit, name2) => splitMatches(text3, pattern, limit, name2)),
  intrinsic("join", "parts", (_vm, parts) => parts.reduce(concat, "")),
  intrinsic("fields", "h", (_vm, h) => fields(h)),
  intrinsic("matches_any", "patterns, x", (_vm, patterns, x) => elements(patterns, "*").some((pattern) => matches(pattern, x))),
  intrinsic("regex", "source, flags", (_vm, source, flags) => compileRegex(source, flags)),
  intrinsic("constant_again", "name", constantAgain),
  intrinsic("caused", "error, cause", caused),
  intrinsic("name_error", "message", (_vm, message) => fail(Errors.NameError, message)),
  intrinsic("calls_back", "recv, f", (_vm, recv2, f) => isFunction2(f) && !(recv2 instanceof Handle))
];

// natives/core/deepcopy.ts
function deepCopy(value, seen = /* @__PURE__ */ new Map(), depth = 0) {
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== void 0) return known;
  if (depth > MAX_DEPTH) fail(Errors.ValueError, `cannot copy a value nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return copyVector(value, seen, depth);
  if (value instanceof Hash) return copyHash(value, seen, depth);
  if (value instanceof RecordValue) return copyRecord(value, seen, depth);
  return value instanceof Cell ? new Cell(deepCopy(value.value, seen, depth + 1)) : value;
}
function copyVector(vector2, seen, depth) {
  const copy = [];
  seen.set(vector2, copy);
  for (const item of vector2) copy.push(deepCopy(item, seen, depth + 1));
  return copy;
}
function copyHash(hash2, seen, depth) {
  const copy = hash2.copy();
  seen.set(hash2, copy);
  for (const [key, value] of hash2.entries()) if (typeof value === "object" && value !== null) copy.set(key, deepCopy(value, seen, depth + 1));
  return copy;
}
function copyRecord(record2, seen, depth) {
  const copy = new RecordValue(record2.type, new Hash());
  seen.set(record2, copy);
  for (const [key, value] of record2.fields.entries()) copy.fields.set(key, deepCopy(value, seen, depth + 1));
  return copy;
}

// natives/core/tasks.ts
var Tasks = class {
  constructor(report) {
    this.report = report;
  }
  report;
  held = /* @__PURE__ */ new Set();
  unheard = /* @__PURE__ */ new Map();
  registry = new FinalizationRegistry((fiber) => this.dropped(fiber));
  /** Somebody holds a handle of `fiber`. */
  track(fiber, handle) {
    this.held.add(fiber);
    this.registry.register(handle, fiber);
  }
  /** Somebody waits for `fiber`, so its error reaches a program. */
  awaited(fiber) {
    this.held.delete(fiber);
    this.unheard.delete(fiber);
  }
  /** `fiber` has failed and nobody waits for it. */
  failed(fiber, error) {
    if (this.held.has(fiber)) this.unheard.set(fiber, error);
    else this.report(fiber, error);
  }
  /** Reports what is left, at the end of the program. */
  flush() {
    for (const fiber of [...this.unheard.keys()]) this.dropped(fiber);
  }
  dropped(fiber) {
    this.held.delete(fiber);
    const error = this.unheard.get(fiber);
    if (error === void 0) return;
    this.unheard.delete(fiber);
    this.report(fiber, error);
  }
};
function tasksOf(vm2) {
  let tasks = vm2.modules.get("tasks");
  if (tasks === void 0) {
    const report = vm2.onUnhandled;
    tasks = new Tasks(report);
    vm2.onUnhandled = (fiber, error) => tasks.failed(fiber, error);
    vm2.modules.set("tasks", tasks);
  }
  return tasks;
}

// natives/core/concurrency.ts
var TASK = new HandleType("Task");
var Task = class extends Handle {
  constructor(fiber) {
    super();
    this.fiber = fiber;
  }
  fiber;
  get type() {
    return TASK;
  }
  describe() {
    return `<Task ${this.fiber.id} ${this.fiber.state}>`;
  }
};
function seconds(value) {
  return value instanceof Float ? value.n : Number(value);
}
function sleep(vm2, duration) {
  const time = seconds(duration);
  if (!(time >= 0) || time === Infinity) fail(Errors.ArgumentError, `sleep() needs a number of seconds from 0 on, got ${toText(duration)}`);
  return vm2.wait("sleep", (resume) => {
    const timer = vm2.timers.add(time * 1e3, () => resume(null));
    return () => vm2.timers.cancel(timer);
  });
}
function spawnBlock(vm2, block2) {
  const seen = /* @__PURE__ */ new Map();
  const copies = block2.captures.map((value) => deepCopy(value, seen));
  return vm2.spawn("spawn", new Closure(block2.fn, copies), []);
}
function tracked(vm2, fiber) {
  const task = new Task(fiber);
  tasksOf(vm2).track(fiber, task);
  return task;
}
function join(vm2, task) {
  const { fiber } = task;
  tasksOf(vm2).awaited(fiber);
  if (fiber === vm2.scheduler.current) fail(Errors.RuntimeError, "a thread cannot wait for itself");
  return vm2.wait("task", (resume, failed) => fiber.onEnd((outcome) => {
    if (outcome.ok) resume(outcome.value);
    else failed(outcome.error instanceof SvcError ? outcome.error : new SvcError(new ErrorValue(Errors.RuntimeError, lostReason(outcome.error))));
  }));
}
function lostReason(signal) {
  return signal.kind === "halt" ? "halt() in a spawned thread: it belongs into a request handler" : "the task was cancelled";
}
function awaitValue(vm2, value) {
  if (value instanceof Task) return join(vm2, value);
  if (!Array.isArray(value)) return value;
  const out = [];
  const next = (at) => {
    if (at === value.length) return out;
    const item = value[at];
    if (!(item instanceof Task)) {
      out.push(item);
      return next(at + 1);
    }
    return vm2.callThen(vm2.globals.get("await"), [item], {
      done: (result) => {
        out.push(result);
        return next(at + 1);
      },
      failed: (thrown) => {
        throw thrown;
      }
    });
  };
  return next(0);
}
function cancel(vm2, task) {
  tasksOf(vm2).awaited(task.fiber);
  vm2.scheduler.cancel(task.fiber);
}
function pushDeadline(vm2, duration) {
  const time = typeof duration === "number" || typeof duration === "bigint" || duration instanceof Float ? seconds(duration) : NaN;
  if (Number.isNaN(time)) fail(Errors.TypeError, `timeout(): seconds must be Integer or Float, got ${toText(duration)}`);
  if (time <= 0) fail(Errors.ArgumentError, `timeout() needs more than 0 seconds, got ${toText(duration)}`);
  const deadline = vm2.pushDeadline(time);
  deadline.label = duration instanceof Float ? floatText(duration.n) : String(duration);
  return deadline;
}
function endDeadline(vm2, deadline) {
  if (!(deadline instanceof Deadline)) return;
  if (vm2.scheduler.popDeadline(deadline)) fail(Errors.TimeoutError, `timed out after ${deadline.label}s`);
}
var concurrency = [
  native("sleep", "seconds: Integer|Float", "Nil", "Waits for the given number of seconds; other threads go on.", sleep),
  native("spawn", "&block: Function", "Task", "Runs a block in a thread of its own and returns its task at once.", (vm2, block2) => tracked(vm2, vm2.spawn("spawn", block2, []))),
  native("await", "value: Any", "Any", "Waits for a task, or for all tasks of a vector, and gives the result.", awaitValue),
  native("%spawn", "block", "Any", "Intrinsic of the compiler.", (vm2, block2) => tracked(vm2, spawnBlock(vm2, block2))),
  native("%spawn_detached", "block", "Any", "Intrinsic of the compiler.", (vm2, block2) => {
    spawnBlock(vm2, block2);
  }),
  native("%start", "f, x", "Any", "Intrinsic of the compiler.", (vm2, f, x) => tracked(vm2, vm2.spawn("parallel_map", f, [x]))),
  native("%deadline", "seconds", "Any", "Intrinsic of the compiler.", pushDeadline),
  native("%end_deadline", "deadline", "Any", "Intrinsic of the compiler.", endDeadline),
  ...methods("Task", [
    ["value", "", "Any", "Waits for the task and gives its value, or raises its error.", join],
    ["await", "", "Any", "Waits for the task and gives its value, or raises its error.", join],
    ["done?", "", "Boolean", "Whether the task has ended, in whatever way.", (_vm, task) => task.fiber.finished],
    ["cancel", "", "Nil", "Ends the task at its next wait or safepoint; its ensure blocks run.", cancel]
  ])
];
for (const fn of concurrency) if (fn.owner === "Task") TASK.methods.set(fn.name, fn);

// natives/core/channel.ts
var CHANNEL = new HandleType("Channel");
var Channel = class extends Handle {
  /** @param size values it holds without a receiver */
  constructor(size) {
    super();
    this.size = size;
  }
  size;
  buffer = [];
  receivers = [];
  senders = [];
  closed = false;
  get type() {
    return CHANNEL;
  }
};
function remove(list, item) {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
function closedError() {
  return new SvcError(new ErrorValue(Errors.RuntimeError, "the channel is closed"));
}
function send(vm2, channel, value) {
  if (channel.closed) throw closedError();
  const receiver = channel.receivers.shift();
  if (receiver !== void 0) {
    receiver.resume(value);
    return channel;
  }
  if (channel.buffer.length < channel.size) {
    channel.buffer.push(value);
    return channel;
  }
  return vm2.wait("channel send", (resume, failed) => {
    const sender = { value, resume: () => resume(channel), fail: failed };
    channel.senders.push(sender);
    return () => remove(channel.senders, sender);
  });
}
function recv(vm2, channel, timeout) {
  if (channel.buffer.length > 0) {
    const value = channel.buffer.shift();
    const sender2 = channel.senders.shift();
    if (sender2 !== void 0) {
      channel.buffer.push(sender2.value);
      sender2.resume(null);
    }
    return value;
  }
  const sender = channel.senders.shift();
  if (sender !== void 0) {
    sender.resume(null);
    return sender.value;
  }
  return channel.closed ? null : park(vm2, channel, timeout);
}
function park(vm2, channel, timeout) {
  return vm2.wait("channel recv", (resume, failed) => {
    const receiver = { resume: (value) => {
      if (timer !== null) vm2.timers.cancel(timer);
      resume(value);
    } };
    const seconds2 = timeout instanceof Float ? timeout.n : Number(timeout);
    const timer = timeout === null ? null : vm2.timers.add(seconds2 * 1e3, () => {
      remove(channel.receivers, receiver);
      failed(new SvcError(new ErrorValue(Errors.TimeoutError, `timed out after ${seconds2}s`)));
    });
    channel.receivers.push(receiver);
    return () => {
      if (timer !== null) vm2.timers.cancel(timer);
      remove(channel.receivers, receiver);
    };
  });
}
function close2(_vm, channel) {
  channel.closed = true;
  for (const receiver of channel.receivers.splice(0)) receiver.resume(null);
  for (const sender of channel.senders.splice(0)) sender.fail(closedError());
}
var SHARED = new HandleType("Shared");
var Shared = class extends Handle {
  constructor(value) {
    super();
    this.value = value;
  }
  value;
  locked = false;
  waiting = [];
  get type() {
    return SHARED;
  }
  /** Runs `then` with the lock held; waits for it first when it is taken. */
  lock(vm2, then) {
    if (!this.locked) {
      this.locked = true;
      return then();
    }
    const wait = native("lock", "", "Any", "Waits for the lock.", () => vm2.wait("shared value", (resume) => {
      const turn = () => resume(null);
      this.waiting.push(turn);
      return () => remove(this.waiting, turn);
    }));
    return vm2.callThen(wait, [], { done: () => then(), failed: (thrown) => {
      throw thrown;
    } });
  }
  /** Passes the lock on to the next thread that waits. */
  unlock() {
    const next = this.waiting.shift();
    if (next === void 0) this.locked = false;
    else next();
  }
};
function update(vm2, shared, block2) {
  return shared.lock(vm2, () => vm2.callThen(block2, [shared.value], {
    done: (value) => {
      shared.value = value;
      shared.unlock();
      return value;
    },
    failed: (thrown) => {
      shared.unlock();
      throw thrown;
    }
  }));
}
function newChannel(_vm, size) {
  if (!(size >= 0)) fail(Errors.ArgumentError, `channel() needs a size from 0 on, got ${size}`);
  return new Channel(size);
}
var sharing = [
  native("channel", "size: Integer = 0", "Channel", "Makes a queue between threads that holds `size` values.", newChannel),
  native("shared", "value: Any = nil", "Shared", "Makes a value that threads share.", (_vm, value) => new Shared(value)),
  ...methods("Channel", [
    ["send", "value: Any", "Channel", "Puts a value into the channel; waits while it is full.", send],
    ["recv", "timeout: Integer|Float? = nil", "Any", "Takes the next value; waits for one. nil when the channel is closed and empty.", recv],
    ["close", "", "Nil", "Closes the channel: waiting receivers get nil, waiting senders an error.", close2],
    ["closed?", "", "Boolean", "Whether the channel is closed.", (_vm, channel) => channel.closed],
    ["length", "", "Integer", "Number of values that wait in the channel.", (_vm, channel) => channel.buffer.length]
  ]),
  ...methods("Shared", [
    ["get", "", "Any", "The shared value.", (_vm, shared) => shared.value],
    ["set", "value: Any", "Any", "Replaces the shared value.", (_vm, shared, value) => shared.value = value],
    ["update", "&block: Function", "Any", "Replaces the value by what the block makes of it; one thread at a time.", update]
  ])
];
for (const fn of sharing) if (fn.owner !== "") (fn.owner === "Channel" ? CHANNEL : SHARED).methods.set(fn.name, fn);

// natives/core/process.ts
function info(vm2) {
  return vm2.modules.get("process") ?? { args: [], env: {} };
}
function environment(vm2, name2, fallback) {
  const { env } = info(vm2);
  if (typeof name2 === "string") return (Object.hasOwn(env, name2) ? env[name2] : void 0) ?? fallback;
  return Hash.from(Object.entries(env).filter((entry) => entry[1] !== void 0));
}
var processNatives = [
  native("env", "name: String? = nil, default: Any = nil", "Any", "An environment variable, or the default; all of them as a Hash without a name.", environment),
  native("argv", "", "Vector", "The arguments that follow the program on the command line.", (vm2) => [...info(vm2).args]),
  native("exit", "code: Integer = 0", "Nil", "Ends the program with an exit code; ensure blocks run.", (_vm, code) => {
    throw new Signal("exit", code);
  })
];

// natives/core/declare.ts
function unfold(rows) {
  return rows.flatMap(([names, ...rest]) => names.split(" ").map((name2) => [name2, ...rest]));
}
function functions(rows) {
  return unfold(rows).map(([name2, signature, result, doc, impl]) => native(name2, signature, result, doc, impl));
}

// natives/core/pretty.ts
var WIDTH = 80;
var PLAIN_KEY2 = /^[A-Za-z_]\w*[?!]?$/;
function isContainer(value) {
  return Array.isArray(value) || value instanceof Hash || value instanceof RecordValue;
}
function contents(value) {
  if (Array.isArray(value)) return value;
  return (value instanceof Hash ? value : value.fields).values();
}
function keyText(key) {
  return typeof key === "string" && PLAIN_KEY2.test(key) ? key : typeof key === "string" ? quote2(key) : inspect(key);
}
var PrettyPrinter = class {
  /** Containers being printed, against cycles. */
  open = /* @__PURE__ */ new Set();
  print(value, indent, used) {
    if (!isContainer(value)) return inspect(value);
    if (this.open.has(value)) return Array.isArray(value) ? "[...]" : value instanceof Hash ? "{...}" : `${value.type.name}(...)`;
    if (!contents(value).some(isContainer)) {
      const text4 = inspect(value);
      if (indent.length + used + text4.length <= WIDTH || contents(value).length === 0) return text4;
    }
    if (this.open.size >= MAX_DEPTH) fail(Errors.ValueError, `value is nested deeper than ${MAX_DEPTH} levels`);
    this.open.add(value);
    const text3 = this.broken(value, indent);
    this.open.delete(value);
    return text3;
  }
  broken(value, indent) {
    const inner = `${indent}  `;
    if (Array.isArray(value)) return wrap("[", value.map((item) => this.print(item, inner, 1)), "]", indent);
    if (value instanceof Hash) return wrap("{", this.pairs(value, inner), "}", indent);
    return wrap(`${value.type.name}(`, this.pairs(value.fields, inner), ")", indent);
  }
  pairs(hash2, indent) {
    return hash2.entries().map(([key, value]) => {
      const label3 = `${keyText(key)}: `;
      return label3 + this.print(value, indent, label3.length + 1);
    });
  }
};
function wrap(open2, items2, close3, indent) {
  return `${open2}
${items2.map((item) => `${indent}  ${item}`).join(",\n")}
${indent}${close3}`;
}
function prettyText(value) {
  return new PrettyPrinter().print(value, "", 0);
}

// natives/core/output.ts
function line2(text3) {
  return text3.endsWith("\n") ? text3 : `${text3}
`;
}
function puts(vm2, values) {
  vm2.host.stdout(values.length === 0 ? "\n" : values.map((value) => line2(toText(value))).join(""));
  return null;
}
function print(vm2, values, separator, end2) {
  vm2.host.stdout(values.map(toText).join(separator) + end2);
  return null;
}
function given(values) {
  return values.length === 0 ? null : values.length === 1 ? values[0] : values;
}
function show(vm2, values, text3) {
  if (values.length > 0) vm2.host.stdout(values.map((value) => `${text3(value)}
`).join(""));
  return given(values);
}
function input(vm2, prompt) {
  if (prompt !== "") vm2.host.stdout(prompt);
  const source = vm2.modules.get("stdin");
  return source === void 0 ? null : vm2.waitFor("input", source.readLine());
}
var output = functions([
  ["puts", "*values: Any", "Nil", "Prints each value on a line of its own; without values an empty line.", puts],
  ["print", '*values: Any, sep: String = "", end: String = ""', "Nil", "Prints values without ending the line, with `sep` between them and `end` behind.", print],
  ["p", "*values: Any", "Any", "Prints each value with its type, strings quoted, and returns what it was given.", (vm2, values) => show(vm2, values, (value) => `(${typeName(value)}) ${inspect(value)}`)],
  ["pp", "*values: Any", "Any", "Prints nested data indented by two blanks a level and returns what it was given.", (vm2, values) => show(vm2, values, prettyText)],
  ["input", 'prompt: String = ""', "String?", "Prints the prompt and waits for a line of standard input; nil at its end.", input]
]);

// svcc/report.ts
function sourceFrame(text3, line3, column) {
  const source = text3.split("\n", line3)[line3 - 1];
  if (source === void 0 || line3 < 1) return [];
  const number2 = String(line3);
  const start2 = Math.max(0, column - 60);
  const shown = source.slice(start2, start2 + 120).replace(/\r$/, "").replaceAll("	", " ");
  return [`  ${number2} | ${shown}`, `  ${" ".repeat(number2.length)} | ${" ".repeat(Math.max(0, column - 1 - start2))}^`];
}
function describeError(error, source) {
  if (error instanceof Signal) return error.kind === "halt" ? "RuntimeError: halt() outside a request\n" : "";
  return describeValue(error.value, source, "");
}
function describeValue(error, source, prefix3) {
  const trace = error.trace ?? [];
  const [first2] = trace;
  const lines2 = [`${prefix3}${error.type.name}: ${error.message}`];
  if (first2 !== void 0) {
    const text3 = source(first2.file);
    if (text3 !== null) lines2.push(...sourceFrame(text3, first2.line, first2.column));
  }
  lines2.push(...trace.map(traceText));
  const cause = error.cause === null ? "" : describeValue(error.cause, source, "caused by ");
  return `${lines2.join("\n")}
${cause}`;
}
function traceText({ file: file2, line: line3, name: name2 }) {
  return `  ${file2}:${line3} in ${name2}`;
}

// ../../tmp/try.ts
import { readFileSync } from "node:fs";
var vm = new VM(nodeHost(processStreams()), { slice: Number(process.env.SVC_SLICE ?? 0) });
vm.define([...intrinsics, ...concurrency, ...sharing, ...processNatives, ...output]);
for (const [k, v] of BUILTIN_TYPES) vm.globals.set(k, v);
for (const k of builtinErrorNames()) vm.globals.set(k, builtinErrorType(k));
var file = process.argv[2];
var text2 = readFileSync(file, "utf8");
var r = compile(file, text2, { natives: /* @__PURE__ */ new Set([...vm.globals.keys(), "loop"]), builtinModules: /* @__PURE__ */ new Set(), load: () => null });
for (const d of r.diagnostics) console.log(d);
if (r.program) {
  if (process.argv[3]) console.log(disassemble(r.program));
  const l = vm.link(r.program);
  vm.report = (f, e) => console.log(describeError(e, () => text2));
  const t2 = performance.now();
  const m = vm.spawn("main", vm.closureOf(l.entry), []);
  m.onEnd((o) => {
    if (!o.ok) console.log(describeError(o.error, () => text2));
    console.error("ms", performance.now() - t2);
  });
}
