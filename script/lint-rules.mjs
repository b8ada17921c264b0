/** Rules of this repository's own, for the linter. */
const isProperty = ({ object, property }, of, name) =>
  object.type === 'Identifier' && object.name === of && (property.name === name || property.value === name);

/** A limit of text, as opposed to one of items: it is named so, or is a large number. */
const isTextLimit = ({ type, value, name, property }) => {
  if (type === 'Literal') return typeof value === 'number' && value >= 40;
  return /(CHARACTERS|LENGTH|BYTES|maxLength|maxCharacters)$/.test(name ?? property?.name ?? '');
};

/** `it`, `test.each(rows)`, `flow` … → `it`, `test`, `flow` */
const toCallee = ({ type, name, object, callee, tag }) => {
  if (type === 'Identifier') return name;
  const inner = object ?? callee ?? tag;
  return inner && toCallee(inner);
};

/** First words of a title without a subject: its `describe` may have one, but a failure is listed without that. */
const NO_SUBJECT = new Set([
  ...['is', 'are', 'was', 'were', 'has', 'have', 'does', 'do', 'can', 'cannot', 'may', 'must', 'never'],
  ...[
    'says',
    'shows',
    'refuses',
    'takes',
    'keeps',
    'lets',
    'leaves',
    'goes',
    'gives',
    'gets',
    'holds',
    'waits',
    'finds',
  ],
  ...['reads', 'sees', 'makes', 'writes', 'comes', 'fails', 'sends', 'knows', 'needs', 'asks', 'leads', 'stays'],
  ...['of', 'with', 'that', 'which', 'whose', 'and', 'or', 'but'],
]);

const LISTENING = new Set(['on', 'once', 'addListener']);
/** Programs read their environment, and hand on a config. */
const READS_ENVIRONMENT = /[/\\]src[/\\]([a-z-]+-)?main\.ts$/;
/** A path without the ending of its file. */
const HAS_NO_ENDING = /^\.(?!.*\.(tsx?|m?js|json|css)$)/;

export default {
  meta: { name: 'berth' },
  rules: {
    'environment-in-main': {
      create: (context) => ({
        MemberExpression(node) {
          if (READS_ENVIRONMENT.test(context.filename) || !isProperty(node, 'process', 'env')) return;
          context.report({ node, message: 'Environment is read in main.ts only; pass a config.' });
        },
      }),
    },
    'whole-path': {
      create: (context) => {
        const check = ({ source }) => {
          if (!HAS_NO_ENDING.test(source?.value ?? '')) return;
          context.report({ node: source, message: 'Name the file with its ending.' });
        };
        return {
          ImportDeclaration: check,
          ImportExpression: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
        };
      },
    },
    'cut-text': {
      create: (context) => ({
        CallExpression({ callee, arguments: [start, end], ...node }) {
          const isSlice = callee.type === 'MemberExpression' && /^(slice|substring|substr)$/.test(callee.property.name);
          if (!isSlice || start?.value !== 0 || !end || !isTextLimit(end)) return;
          context.report({ node, message: 'This may cut a character in two: use cutText.' });
        },
      }),
    },
    'whole-title': {
      create: (context) => ({
        CallExpression({ callee, arguments: [title] }) {
          const text = title?.type === 'TemplateLiteral' ? title.quasis[0].value.cooked : title?.value;
          if (typeof text !== 'string' || !['it', 'test', 'flow'].includes(toCallee(callee))) return;
          const [first] = text.split(' ');
          if (!NO_SUBJECT.has(first)) return;
          context.report({ node: title, message: `A title is a sentence of its own: name who or what "${first}".` });
        },
      }),
    },
    'no-bare-close': {
      create: (context) => ({
        CallExpression(node) {
          if (context.filename.endsWith('answer-end.ts')) return;
          const { callee, arguments: given } = node;
          const isListening = callee.type === 'MemberExpression' && LISTENING.has(callee.property.name);
          if (!isListening || given[0]?.value !== 'close') return;
          context.report({
            node,
            message: 'An answer may be over already, and close then never comes: use onAnswerEnd.',
          });
        },
      }),
    },
  },
};
