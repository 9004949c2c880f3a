/** Version of the product; a spec compares it with the library's, which takes long to load. */
export const VERSION = '0.1.0';
