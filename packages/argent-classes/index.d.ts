/** Where the packed class of the regular account is. */
export declare const regular: URL;
/** Where the packed class of the multisig account is. */
export declare const multisig: URL;
