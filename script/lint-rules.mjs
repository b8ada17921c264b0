/** Rules of this repository's own, for the linter. */
const isProperty = ({ object, property }, of, name) =>
  object.type === 'Identifier' && object.name === of && (property.name === name || property.value === name);

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
