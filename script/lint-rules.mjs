/** Rules of this repository's own, for the linter. */
const isProperty = ({ object, property }, of, name) =>
  object.type === 'Identifier' && object.name === of && (property.name === name || property.value === name);

/** A limit of text, as opposed to one of items: it is named so, or is a large number. */
const isTextLimit = ({ type, value, name, property }) => {
  if (type === 'Literal') return typeof value === 'number' && value >= 40;
  return /(CHARACTERS|LENGTH|BYTES|maxLength|maxCharacters)$/.test(name ?? property?.name ?? '');
};

const LISTENING = new Set(['on', 'once', 'addListener']);
/** Programs read their environment, and hand on a config. */
const READS_ENVIRONMENT = /(^|[/\\-])main\.ts$/;

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
    'cut-text': {
      create: (context) => ({
        CallExpression({ callee, arguments: [start, end], ...node }) {
          const isSlice = callee.type === 'MemberExpression' && /^(slice|substring|substr)$/.test(callee.property.name);
          if (!isSlice || start?.value !== 0 || !end || !isTextLimit(end)) return;
          context.report({ node, message: 'This may cut a character in two: use cutText.' });
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
