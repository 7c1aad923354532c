// Documentation of one method: parameters, result, errors.
import type { RpcMethod } from '../../rpc/discovery.js';
import { typeText } from './shape.js';

export function Docs({ of }: { readonly of: RpcMethod }) {
  return (
    <section className="docs" aria-label="About the method">
      <p>{of.summary}.</p>
      {of.alias !== undefined && (
        <p className="quiet">
          Also as <code>{of.alias}</code>
        </p>
      )}
      {of.params.length > 0 && (
        <>
          <h2>Parameters</h2>
          <dl>
            {of.params.map(({ name, required, schema, description }) => [
              <dt key={name}>
                <code>{name}</code> <span className="quiet">{typeText(schema)}</span>
                {!required && <span className="quiet"> · optional</span>}
              </dt>,
              <dd key={`${name} is`}>{description}</dd>,
            ])}
          </dl>
        </>
      )}
      {of.result && (
        <>
          <h2>Result</h2>
          <p>
            <span className="quiet">{typeText(of.result.schema)}</span> {of.result.description}
          </p>
        </>
      )}
      {of.errors.length > 0 && (
        <>
          <h2>Errors</h2>
          <table className="errors">
            <tbody>
              {of.errors.map(({ code, message, name }) => (
                <tr key={name || code}>
                  <td className="number mono">{code}</td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
