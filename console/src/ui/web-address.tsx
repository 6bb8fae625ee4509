/** A URL from stored data: a link if it is http or https, and plain text otherwise. */
export function WebAddress({ address }: { readonly address: string }) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return <span>{address}</span>;
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {address}
    </a>
  );
}
