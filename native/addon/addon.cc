// The functions of lib/worker/addon-api.ts, which says what they take and return. Node-API only.
#include <napi.h>

#include <new>
#include <string>

#include "addon/environment.h"
#include "addon/numbers.h"
#include "core/generation.h"
#include "core/platform.h"
#include "core/system_error.h"
#include "core/transfer.h"

namespace console {
namespace {

Napi::Error ToJavaScript(Napi::Env env, const SystemError& error) {
	Napi::Error thrown = Napi::Error::New(env, error.what());
	thrown.Set("code", Napi::String::New(env, error.Name()));
	thrown.Set("errno", Napi::Number::New(env, -error.Number()));
	thrown.Set("syscall", Napi::String::New(env, error.Call()));
	return thrown;
}

// Makes a function of the core callable: what it throws arrives in JavaScript as an Error.
template <Napi::Value (*function)(const Napi::CallbackInfo&)>
Napi::Value Guarded(const Napi::CallbackInfo& info) {
	try {
		return function(info);
	} catch (const SystemError& error) {
		throw ToJavaScript(info.Env(), error);
	} catch (const std::bad_alloc&) {
		throw Napi::Error::New(info.Env(), "out of memory");
	}
}

Environment& StateOf(const Napi::CallbackInfo& info) {
	return *info.Env().GetInstanceData<Environment>();
}

int IntegerAt(const Napi::CallbackInfo& info, std::size_t index) {
	if (!info[index].IsNumber()) throw Napi::TypeError::New(info.Env(), "a number was expected");
	return info[index].As<Napi::Number>().Int32Value();
}

Handle FileAt(const Napi::CallbackInfo& info, std::size_t index) {
	return FileUnder(IntegerAt(info, index));
}

ProcessId ProcessAt(const Napi::CallbackInfo& info, std::size_t index) {
	return static_cast<ProcessId>(IntegerAt(info, index));
}

Napi::Uint8Array BytesAt(const Napi::CallbackInfo& info, std::size_t index) {
	const bool is_bytes =
	    info[index].IsTypedArray() && info[index].As<Napi::TypedArray>().TypedArrayType() == napi_uint8_array;
	if (!is_bytes) throw Napi::TypeError::New(info.Env(), "a Uint8Array was expected");
	return info[index].As<Napi::Uint8Array>();
}

Napi::Value ToValue(Napi::Env env, const std::optional<ExitStatus>& status) {
	if (!status) return env.Undefined();
	Napi::Object value = Napi::Object::New(env);
	value.Set(status->signalled ? "signal" : "code", Napi::Number::New(env, static_cast<double>(status->value)));
	return value;
}

Napi::Object ToValue(Napi::Env env, const Handles& handles) {
	Napi::Object value = Napi::Object::New(env);
	value.Set("launcher", Napi::Number::New(env, handles.launcher));
	value.Set("terminal", Napi::Number::New(env, handles.terminal));
	value.Set("output", Napi::Number::New(env, handles.output));
	value.Set("control", Napi::Number::New(env, handles.control));
	Napi::Array channels = Napi::Array::New(env, handles.channels.size());
	for (std::size_t index = 0; index < handles.channels.size(); ++index) {
		channels.Set(static_cast<std::uint32_t>(index), Napi::Number::New(env, handles.channels[index]));
	}
	value.Set("channels", channels);
	return value;
}

Napi::Value OpenGenerationCall(const Napi::CallbackInfo& info) {
	const Napi::Env env = info.Env();
	if (!info[0].IsObject()) throw Napi::TypeError::New(env, "an object with `launcher` and `runtimes` was expected");
	const Napi::Object options = info[0].As<Napi::Object>();
	const Napi::Value launcher = options.Get("launcher");
	const Napi::Value runtimes = options.Get("runtimes");
	if (!launcher.IsString()) throw Napi::TypeError::New(env, "`launcher` must be a string");
	if (!runtimes.IsNumber()) throw Napi::TypeError::New(env, "`runtimes` must be a number");
	const int count = runtimes.As<Napi::Number>().Int32Value();
	if (count < 1 || count > kMostRuntimes) throw Napi::RangeError::New(env, "`runtimes` must be from 1 to 4");

	// Taken over first: should the values below not come about, it is closed with the environment.
	const Handles handles = StateOf(info).Adopt(OpenGeneration(launcher.As<Napi::String>().Utf8Value(), count));
	return ToValue(env, handles);
}

Napi::Value ReadCall(const Napi::CallbackInfo& info) {
	Napi::Uint8Array into = BytesAt(info, 1);
	const long count = ReadNow(FileAt(info, 0), into.Data(), into.ByteLength());
	return Napi::Number::New(info.Env(), static_cast<double>(count));
}

Napi::Value WriteCall(const Napi::CallbackInfo& info) {
	Napi::Uint8Array bytes = BytesAt(info, 1);
	const std::int64_t offset = info[2].IsNumber() ? info[2].As<Napi::Number>().Int64Value() : 0;
	if (offset < 0 || static_cast<std::size_t>(offset) > bytes.ByteLength()) {
		throw Napi::RangeError::New(info.Env(), "`offset` is outside of the bytes");
	}
	const auto start = static_cast<std::size_t>(offset);
	const long count = WriteNow(FileAt(info, 0), bytes.Data() + start, bytes.ByteLength() - start);
	return Napi::Number::New(info.Env(), static_cast<double>(count));
}

Napi::Value AvailableCall(const Napi::CallbackInfo& info) {
	return Napi::Number::New(info.Env(), static_cast<double>(Available(FileAt(info, 0))));
}

Napi::Value RawTerminalCall(const Napi::CallbackInfo& info) {
	platform::MakeRaw(FileAt(info, 0));
	return info.Env().Undefined();
}

Napi::Value ProcessClockCall(const Napi::CallbackInfo& info) {
	const platform::Moment moment = platform::Now();
	Napi::Object clock = Napi::Object::New(info.Env());
	clock.Set("ticks", Napi::Number::New(info.Env(), static_cast<double>(moment.ticks)));
	clock.Set("lastpid", Napi::Number::New(info.Env(), moment.newest));
	return clock;
}

Napi::Value ProcessStartCall(const Napi::CallbackInfo& info) {
	const std::optional<std::int64_t> start = platform::StartOf(ProcessAt(info, 0));
	return start ? Napi::Number::New(info.Env(), static_cast<double>(*start)) : info.Env().Undefined();
}

Napi::Value ReapLauncherCall(const Napi::CallbackInfo& info) {
	return ToValue(info.Env(), StateOf(info).Reap(ProcessAt(info, 0)));
}

Napi::Value KillLauncherCall(const Napi::CallbackInfo& info) {
	StateOf(info).Kill(ProcessAt(info, 0));
	return info.Env().Undefined();
}

Napi::Value CloseDescriptorCall(const Napi::CallbackInfo& info) {
	StateOf(info).Close(IntegerAt(info, 0));
	return info.Env().Undefined();
}

Napi::Object Initialize(Napi::Env env, Napi::Object exports) {
	// Deleted in the environment's own cleanup, also when a worker thread is terminated.
	env.SetInstanceData(new Environment());
	const auto add = [&](const char* name, auto function) {
		exports.Set(name, Napi::Function::New(env, function, name));
	};
	add("openGeneration", Guarded<OpenGenerationCall>);
	add("read", Guarded<ReadCall>);
	add("write", Guarded<WriteCall>);
	add("available", Guarded<AvailableCall>);
	add("rawTerminal", Guarded<RawTerminalCall>);
	add("processClock", Guarded<ProcessClockCall>);
	add("processStart", Guarded<ProcessStartCall>);
	add("reapLauncher", Guarded<ReapLauncherCall>);
	add("killLauncher", Guarded<KillLauncherCall>);
	add("closeDescriptor", Guarded<CloseDescriptorCall>);
	return exports;
}

}  // namespace
}  // namespace console

static Napi::Object Initialize(Napi::Env env, Napi::Object exports) {
	return console::Initialize(env, exports);
}

NODE_API_MODULE(console, Initialize)
