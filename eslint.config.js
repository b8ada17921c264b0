import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** The sizes are part of the style (CONTRIBUTING.md): a file or function over them is two concepts. */
const sizes = (maxLines, maxFunctionLines) => ({
  'max-lines': ['error', { max: maxLines, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: maxFunctionLines, skipBlankLines: true, skipComments: true }],
});

export default tseslint.config(
  { ignores: ['**/dist/**', 'data/**', '.build/**', 'node_modules/**'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      ...sizes(300, 80),
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      ...sizes(500, 500),
      '@typescript-eslint/no-non-null-assertion': 'off',
      // The answers of a server are untyped JSON: a test that asserts their shape may read them freely.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: [
      '**/main.ts',
      '**/*-main.ts',
      '**/*.test.ts',
      'test/**',
      'packages/testing/**',
      'vitest.config.mjs',
      'bench/**',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Environment is read in main.ts only; pass a config.' },
      ],
    },
  },
  {
    files: ['apps/server/src/api/**/*.ts', 'apps/server/src/lifecycle/**/*.ts'],
    ignores: ['apps/server/src/api/http/answer-end.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name=/^(on|once|addListener)$/][arguments.0.value='close']",
          message: 'An answer may be over already, and close then never comes: use onAnswerEnd.',
        },
      ],
    },
  },
  { files: ['apps/dashboard/src/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat.recommended] },
  { files: ['apps/dashboard/src/**/*.js'], languageOptions: { globals: globals.browser } },
  { files: ['**/*.{js,mjs}'], languageOptions: { globals: globals.node }, rules: sizes(300, 80) },
);
