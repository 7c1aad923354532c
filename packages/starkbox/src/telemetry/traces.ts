// OpenTelemetry traces of a node. The SDK reads the standard variables itself.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Probe, Work } from '../probe.js';

export interface Traces {
  readonly probe: Probe;
  /** Sends what is left. */
  close(): Promise<void>;
}

interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Readonly<Record<string, string>>;
}

export function openTraces(version: string): Traces {
  const ours = resourceFromAttributes({ 'service.name': 'starkbox', 'service.version': version });
  const environmentResource = detectResources({ detectors: [envDetector] });
  // Not registered globally: a program that embeds a node may have a tracer of its own.
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(ours).merge(environmentResource),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('starkbox', version);
  const under = new AsyncLocalStorage<Context>();

  const around = async <T>(work: Work, run: () => Promise<T>): Promise<T> => {
    const description = describe(work);
    if (!description) return run();
    const { name, kind, attributes } = description;
    const parent = under.getStore() ?? context.active();
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    try {
      return await under.run(trace.setSpan(parent, span), run);
    } catch (error) {
      // The code only: a message may contain what a caller sent.
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
      span.setAttribute('error.type', code);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    probe: { around, waited: () => {}, looked: () => {} },
    close: () => provider.shutdown(),
  };
}

function describe(work: Work): SpanDescription | undefined {
  switch (work.kind) {
    case 'request':
      return rpc(work.method, SpanKind.SERVER);
    case 'upstream':
      return rpc(work.method, SpanKind.CLIENT);
    case 'execution':
      return {
        name: `execute ${work.of}`,
        kind: SpanKind.INTERNAL,
        attributes: { 'starkbox.execution': work.of },
      };
    default:
      return undefined;
  }
}

function rpc(method: string, kind: SpanKind): SpanDescription {
  return { name: method, kind, attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': method } };
}
