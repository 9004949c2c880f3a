/**
 * How TypeScript becomes JavaScript, for the build and for jest alike: one place, so that what the
 * tests run is what ships.
 *
 * Fields are assigned, not defined (`useDefineForClassFields: false`), as in tsconfig.json: a
 * request class then has only the properties its request had, and validators see no `undefined`
 * ones.
 */
export const swcOptions = {
  swcrc: false,
  configFile: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2022',
    keepClassNames: true,
    experimental: { keepImportAttributes: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
    },
  },
  module: { type: 'es6' },
};
