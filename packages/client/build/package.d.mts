/** Builds what is published into the folder, which is made anew. */
export declare const buildPackage: (outDir: string) => Promise<void>;
/** Writes the declarations alone. */
export declare const writeDeclarations: (outDir: string) => Promise<void>;
