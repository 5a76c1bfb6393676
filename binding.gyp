# The build for installs from source, through node-gyp: console.node and console-launcher in build/Release, like CMakeLists.txt
# and over the same list of sources, native/sources.json.
{
	"variables": {
		"core_sources": ["<!@(node -p \"require('./native/sources.json').core.map((file) => 'native/' + file).join(' ')\")"],
		"addon_sources": ["<!@(node -p \"require('./native/sources.json').addon.map((file) => 'native/' + file).join(' ')\")"],
		"r_sources": ["<!@(node -p \"require('./native/sources.json').r.map((file) => 'native/' + file).join(' ')\")"],
		"launcher_sources": ["<!@(node -p \"require('./native/sources.json').launcher.map((file) => 'native/' + file).join(' ')\")"],
		# The one place where the platform is chosen.
		"conditions": [
			["OS=='linux'", {
				"platform_sources": ["<!@(node -p \"require('./native/sources.json').platform.map((file) => 'native/platform/linux/' + file).join(' ')\")"],
			}],
			["OS=='mac'", {
				"platform_sources": ["<!@(node -p \"require('./native/sources.json').platform.map((file) => 'native/platform/macos/' + file).join(' ')\")"],
			}],
			# What Linux and macOS share is in native/unix; Windows has the same in its own folder.
			["OS=='win'", {
				"platform_sources": ["<!@(node -p \"require('./native/sources.json').platform.map((file) => 'native/platform/windows/' + file).join(' ')\")"],
				"system_sources": ["<!@(node -p \"require('./native/sources.json').windows.map((file) => 'native/platform/windows/' + file).join(' ')\")"],
				"r_system_sources": ["<!@(node -p \"require('./native/sources.json').r_platform.map((file) => 'native/platform/windows/r/' + file).join(' ')\")"],
				"system_folder": "native/platform/windows",
			}, {
				"system_sources": ["<!@(node -p \"require('./native/sources.json').unix.map((file) => 'native/' + file).join(' ')\")"],
				"r_system_sources": ["<!@(node -p \"require('./native/sources.json').r_platform.map((file) => 'native/unix/r/' + file).join(' ')\")"],
				"system_folder": "native/unix",
			}],
		],
	},
	"target_defaults": {
		"include_dirs": ["native", "<(system_folder)"],
		"cflags": ["-Wall", "-fPIC", "-fvisibility=hidden"],
		"cflags_cc": ["-std=c++17", "-fvisibility-inlines-hidden"],
		# What Node's own settings, meant for Node, would impose.
		"cflags!": ["-fno-exceptions"],
		"cflags_cc!": ["-fno-exceptions", "-fno-rtti", "-std=gnu++17", "-std=gnu++20"],
		"msvs_settings": {"VCCLCompilerTool": {"ExceptionHandling": 1, "AdditionalOptions": ["/std:c++17", "/utf-8"]}},
		"xcode_settings": {
			"CLANG_CXX_LANGUAGE_STANDARD": "c++17",
			"GCC_ENABLE_CPP_EXCEPTIONS": "YES",
			"GCC_ENABLE_CPP_RTTI": "YES",
			"GCC_SYMBOLS_PRIVATE_EXTERN": "YES",
			"MACOSX_DEPLOYMENT_TARGET": "11.0",
		},
		"conditions": [
			["OS=='linux'", {"ldflags": ["-static-libstdc++", "-static-libgcc"]}],
			# Windows 10: the oldest that Node 20 runs on.
			["OS=='win'", {"defines": ["NTDDI_VERSION=0x0A000006", "_WIN32_WINNT=0x0A00", "WIN32_LEAN_AND_MEAN", "NOMINMAX"]}],
		],
	},
	"targets": [
		{
			"target_name": "core",
			"type": "static_library",
			"sources": ["<@(core_sources)", "<@(system_sources)", "<@(platform_sources)"],
		},
		{
			"target_name": "console",
			"type": "loadable_module",
			"dependencies": ["core"],
			"sources": ["<@(addon_sources)"],
			"defines": ["NAPI_VERSION=8", "NAPI_CPP_EXCEPTIONS"],
			"include_dirs": [
				"<!(node -p \"require('node-api-headers').include_dir\")",
				"<!(node -p \"require('path').dirname(require.resolve('node-addon-api/napi.h'))\")",
			],
		},
		{
			"target_name": "console-launcher",
			"type": "executable",
			"dependencies": ["core"],
			"sources": ["<@(launcher_sources)"],
		},
		{
			# The R host. As in CMakeLists.txt.
			"target_name": "console-r",
			"type": "executable",
			"dependencies": ["core"],
			"sources": ["<@(r_sources)", "<@(r_system_sources)"],
			"conditions": [
				["OS=='linux'", {
					"ldflags": ["-pthread"],
					"libraries": ["-ldl"],
				}],
				["OS=='win'", {
					"libraries": ["shell32.lib", "user32.lib", "psapi.lib"],
					"msvs_settings": {
						"VCLinkerTool": {"StackReserveSize": "67108864"},
						"VCManifestTool": {"AdditionalManifestFiles": ["<(module_root_dir)/native/platform/windows/r/console-r.manifest"]},
					},
				}],
			],
		},
	],
}
