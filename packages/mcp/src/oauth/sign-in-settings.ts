/** How users sign in at one server. */
export interface SignInSettings {
  readonly serverUrl: string;
  /** The client that the server's operator registered for us. @default one is registered, or a metadata document names it */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** The address of a client metadata document, for authorization servers that read such documents. */
  readonly clientMetadataUrl?: string | undefined;
  /** Requested in addition to the scopes that the server names. */
  readonly scopes?: readonly string[] | undefined;
}
